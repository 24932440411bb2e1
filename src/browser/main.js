// Starts the page: the tabs, the address, the program.
'use strict';

const TABS = ['compare', 'study', 'doctor', 'about'];

function show_tab(name) {
  for (const each of TABS) {
    const tab = document.getElementById(`tab-${each}`);
    tab.setAttribute('aria-selected', String(each === name));
    tab.tabIndex = each === name ? 0 : -1;
    document.getElementById(`panel-${each}`).hidden = each !== name;
  }
}

function bind_tabs(choose) {
  const list = document.querySelector('[role=tablist]');
  for (const each of TABS) document.getElementById(`tab-${each}`).addEventListener('click', () => choose(each));
  list.addEventListener('keydown', event => {
    const at = TABS.findIndex(each => document.getElementById(`tab-${each}`).getAttribute('aria-selected') === 'true');
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: TABS.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const name = TABS[(next + TABS.length) % TABS.length];
    choose(name);
    document.getElementById(`tab-${name}`).focus();
  });
}

async function start() {
  const state = await state_of(location.hash);
  const said = document.getElementById('said');
  let writing = 0;
  const changed = () => {
    clearTimeout(writing);
    // A browser refuses an address that changes too often.
    writing = setTimeout(async () => history.replaceState(null, '', await fragment_of(state)), 300);
  };
  show_tab(state.tab);
  const engine = await Engine.start();
  const listed = await engine.curves.run({ words: ['list', 'schemes', '--json'] });
  const schemes = JSON.parse(listed.output);
  const tabs = {
    compare: new Compare(document.getElementById('panel-compare'), engine, schemes, state, changed),
    study: new StudyTab(document.getElementById('panel-study'), engine, state, changed),
    doctor: new DoctorTab(document.getElementById('panel-doctor'), engine, state, changed),
  };
  const choose = name => {
    state.tab = name;
    show_tab(name);
    tabs[name]?.open?.();
    changed();
  };
  bind_tabs(choose);
  tabs[state.tab]?.open?.();
  window.addEventListener('hashchange', () => location.reload());
  document.getElementById('copy-link').addEventListener('click', async () => {
    history.replaceState(null, '', await fragment_of(state));
    try {
      await navigator.clipboard.writeText(location.href);
      said.textContent = 'The link is copied.';
    } catch {
      said.textContent = 'The link is in the address bar.';
    }
  });
  said.textContent = '';
  document.documentElement.dataset.ready = 'yes';
  return { engine, state, tabs };
}

const page = start().catch(failure => {
  document.getElementById('said').textContent = `The page cannot start: ${failure.message}. It needs a browser with WebAssembly exceptions and SIMD of 2022 or later.`;
  throw failure;
});
