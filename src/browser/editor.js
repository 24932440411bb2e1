// A text field whose problems are underlined at their place, with completion.
'use strict';

class Editor {
  /** problems is the id of the element that has the text of the problems. */
  constructor(place, { label, problems, text = '', is_single = false, changed, complete = null }) {
    Object.assign(this, { changed, complete, is_single });
    this.marks = [];
    this.box = element('div', { className: is_single ? 'editor single' : 'editor' });
    this.mirror = element('pre', { className: 'mirror', 'aria-hidden': 'true' });
    this.field = element('textarea', { 'aria-label': label, spellcheck: false, value: text, rows: is_single ? 1 : 18, autocapitalize: 'off', autocomplete: 'off' });
    this.list = element('ul', { className: 'completions', role: 'listbox', 'aria-label': 'Completions', hidden: true, id: `completions-${Editor.count = (Editor.count || 0) + 1}` });
    this.field.setAttribute('aria-errormessage', problems);
    if (complete) {
      this.field.setAttribute('aria-controls', this.list.id);
      this.field.setAttribute('aria-autocomplete', 'list');
    }
    this.box.append(this.mirror, this.field, this.list);
    place.append(this.box);
    this.field.addEventListener('input', () => this.edited());
    this.field.addEventListener('scroll', () => { this.mirror.scrollTop = this.field.scrollTop; this.mirror.scrollLeft = this.field.scrollLeft; });
    this.field.addEventListener('keydown', event => this.press(event));
    this.field.addEventListener('blur', () => setTimeout(() => this.close(), 150));
    this.show();
  }

  get text() { return this.field.value; }
  set text(value) { this.field.value = value; this.marks = []; this.show(); }

  edited() {
    if (this.is_single && this.text.includes('\n')) this.field.value = this.text.replace(/\n/g, ' ');
    this.marks = [];
    this.show();
    this.changed(this.text);
    if (this.complete) this.offer();
  }

  /** Underlines problems of { line, column, length, message }; columns count characters from 1. */
  mark(problems) {
    if (!problems.length && this.field.getAttribute('aria-invalid') !== 'true') return;
    this.marks = problems;
    this.field.setAttribute('aria-invalid', String(problems.length > 0));
    this.field.title = problems.map(each => each.message).join('\n');
    this.show();
  }

  show() {
    const lines = this.text.split('\n');
    const nodes = [];
    lines.forEach((line, at) => {
      const characters = [...line];
      let done = 0;
      for (const each of this.marks.filter(mark => mark.line === at + 1).sort((a, b) => a.column - b.column)) {
        const begin = Math.max(done, each.column - 1), end = Math.max(begin + 1, each.column - 1 + each.length);
        nodes.push(characters.slice(done, begin).join(''), element('mark', {}, characters.slice(begin, end).join('') || ' '));
        done = end;
      }
      nodes.push(characters.slice(done).join('') + '\n');
    });
    this.mirror.replaceChildren(...nodes);
    if (this.is_single) this.field.style.height = 'auto';
    this.mirror.scrollTop = this.field.scrollTop;
  }

  go_to({ line, column }) {
    const lines = this.text.split('\n');
    const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    const at = before + [...(lines[line - 1] || '')].slice(0, column - 1).join('').length;
    this.field.focus();
    this.field.setSelectionRange(at, at);
  }

  offer() {
    const at = this.field.selectionStart;
    const word = /[\w.-]*$/.exec(this.text.slice(0, at))[0];
    const found = this.complete(this.text.slice(0, at), word);
    this.chosen = 0;
    this.word = word;
    this.options = found.slice(0, 12);
    if (!this.options.length || (this.options.length === 1 && this.options[0].text === word)) return this.close();
    this.list.replaceChildren(...this.options.map((option, i) => {
      const item = element('li', { role: 'option', id: `${this.list.id}-${i}` }, element('b', {}, option.text), ' ' + (option.about || ''));
      item.addEventListener('pointerdown', event => { event.preventDefault(); this.take(i); });
      return item;
    }));
    this.list.hidden = false;
    this.choose(0);
  }

  choose(i) {
    this.chosen = (i + this.options.length) % this.options.length;
    [...this.list.children].forEach((item, k) => item.setAttribute('aria-selected', String(k === this.chosen)));
    this.field.setAttribute('aria-activedescendant', `${this.list.id}-${this.chosen}`);
    this.list.children[this.chosen].scrollIntoView({ block: 'nearest' });
  }

  take(i) {
    const at = this.field.selectionStart;
    this.field.setRangeText(this.options[i].text, at - this.word.length, at, 'end');
    this.close();
    this.marks = [];
    this.show();
    this.changed(this.text);
  }

  close() {
    this.list.hidden = true;
    this.field.removeAttribute('aria-activedescendant');
  }

  press(event) {
    if (this.is_single && event.key === 'Enter') event.preventDefault();
    if (this.complete && event.key === ' ' && event.ctrlKey) {
      event.preventDefault();
      return this.offer();
    }
    if (this.list.hidden) return undefined;
    const acts = {
      ArrowDown: () => this.choose(this.chosen + 1), ArrowUp: () => this.choose(this.chosen - 1),
      Enter: () => this.take(this.chosen), Tab: () => this.take(this.chosen), Escape: () => this.close(),
    };
    if (!acts[event.key]) return undefined;
    event.preventDefault();
    return acts[event.key]();
  }
}

/** What may be written at the end of a study's text, from the schema of study files. */
function completions_of(schema, text, word) {
  const lines = text.split('\n');
  const line = lines[lines.length - 1];
  const starting = list => list.filter(each => each.text.startsWith(word));
  const described = properties => Object.entries(properties || {}).map(([name, each]) => ({ text: name, about: each.description }));
  const heading = /^\s*\[+([\w-]*)$/.exec(line);
  if (heading) return starting(described(schema.properties));
  let section = '', kind = '';
  for (const each of lines.slice(0, -1)) {
    const found = /^\s*\[+\s*([\w-]+)/.exec(each);
    if (found) [section, kind] = [found[1], ''];
    const given = /^\s*kind\s*=\s*["']([\w-]+)["']/.exec(each);
    if (given) kind = given[1];
  }
  const part = schema.properties[section];
  if (!part) return [];
  const each = part.items || (typeof part.additionalProperties === 'object' ? part.additionalProperties : part);
  const forms = each.oneOf || [each];
  const form = forms.find(one => one.title === kind) || (each.oneOf ? { properties: { kind: { description: 'what is computed' } } } : each);
  const value = /^\s*([\w-]+)\s*=\s*["']?([\w-]*)$/.exec(line);
  if (value) {
    if (each.oneOf && value[1] === 'kind') return starting(forms.map(one => ({ text: one.title, about: one.description })));
    return starting(((form.properties?.[value[1]] || {}).enum || []).map(one => ({ text: String(one) })));
  }
  return /^\s*[\w-]*$/.test(line) && word ? starting(described(form.properties)) : [];
}
