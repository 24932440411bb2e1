#include "report/summary_script.hpp"

namespace farfield::report {
namespace {

constexpr std::string_view js = R"js(
(() => {
  'use strict';
  const form = document.getElementById('filters');
  const shown = document.getElementById('shown');
  const claims = [...document.querySelectorAll('article[data-claim]')];
  const rows = [...document.querySelectorAll('tr[data-claim]')];
  const sections = [...document.querySelectorAll('section[data-study]')];
  const words = new Map(claims.map(claim => [claim.dataset.claim, claim.textContent.toLowerCase()]));

  const chosen = () => ({
    verdicts: new Set([...form.querySelectorAll('[name=verdict]:checked')].map(box => box.value)),
    certified: form.elements.certified.value,
    study: form.elements.study.value,
    differs: form.elements.record.checked,
    find: form.elements.find.value.toLowerCase().split(/\s+/).filter(Boolean),
  });

  const passes = (item, filter) =>
    (filter.verdicts.size === 0 || filter.verdicts.has(item.dataset.verdict)) &&
    (filter.certified === '' || filter.certified === item.dataset.certified) &&
    (filter.study === '' || filter.study === item.dataset.study) &&
    (!filter.differs || item.dataset.record === 'differs') &&
    filter.find.every(word => words.get(item.dataset.claim).includes(word));

  const apply = () => {
    const filter = chosen();
    for (const item of [...claims, ...rows]) item.hidden = !passes(item, filter);
    for (const section of sections) section.hidden = !section.querySelector('article[data-claim]:not([hidden])');
    const count = claims.filter(claim => !claim.hidden).length;
    shown.textContent = count + ' of ' + claims.length + ' claims shown';
  };

  const reset = () => { form.reset(); apply(); };

  // An address may carry the filters; a link to a claim that they leave out takes them away.
  const follow = () => {
    const fragment = location.hash.slice(1);
    if (fragment.startsWith('show?')) {
      const asked = new URLSearchParams(fragment.slice(5));
      const verdicts = (asked.get('verdict') || '').split(',');
      form.reset();
      for (const box of form.querySelectorAll('[name=verdict]')) box.checked = verdicts.includes(box.value);
      form.elements.certified.value = asked.get('certified') || '';
      form.elements.study.value = asked.get('study') || '';
      form.elements.record.checked = asked.get('record') === 'differs';
      form.elements.find.value = asked.get('find') || '';
      apply();
      document.getElementById('claims').scrollIntoView();
      return;
    }
    const target = fragment && document.getElementById(decodeURIComponent(fragment));
    if (target && target.closest('[hidden]')) reset();
    if (target) target.scrollIntoView();
  };

  form.hidden = false;
  form.querySelector('details').open = !matchMedia('(max-width: 40rem)').matches;
  form.addEventListener('input', apply);
  form.addEventListener('submit', event => event.preventDefault());
  form.addEventListener('reset', () => setTimeout(apply));
  addEventListener('hashchange', follow);
  apply();
  follow();
})();
)js";

}  // namespace

std::string_view summary_script() {
    return js;
}

}  // namespace farfield::report
