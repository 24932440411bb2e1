// The tab that compares schemes: what is chosen, and its curves by distance. numbers.js has the rest.
'use strict';

// Each has a contrast of 3 or more on every background, light or dark.
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#c46297', '#a6761d', '#7d65ba'];
const DASHES = ['', '7 3', '2 3', '9 3 2 3', '5 5', '1 3'];

function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in node && key !== 'list' && key !== 'form') node[key] = value;
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

/** The ends of a slider for a parameter with this default. */
function slider_range(value) {
  const size = Math.abs(value) || 1;
  const low = value < 0 ? -4 * size : 0;
  return { min: low, max: 4 * size, step: Number.isInteger(value) && size >= 8 ? 1 : size / 50 };
}

class Compare {
  constructor(place, engine, schemes, state, changed) {
    Object.assign(this, { engine, schemes, state, changed });
    this.list = place.querySelector('#items');
    const figures = place.querySelector('#figures');
    this.charts = {
      bias: new Chart(figures, { id: 'bias', title: 'Bias by distance', x_name: 'distance n', y_name: 'bias b[n]' }),
      expectation: new Chart(figures, { id: 'expectation', title: 'Attention expectation g[n]', x_name: 'distance n', y_name: 'g[n] of a rotating scheme' }),
      attention: new Chart(figures, { id: 'attention', title: 'Content-free attention', x_name: 'distance n', y_name: 'share of a query with equal contents', is_logarithmic: true }),
    };
    this.numbers = new Numbers(place, engine, state, this);
    this.status = place.querySelector('#compare-status');
    this.found = [];
    for (const name of Object.keys(NUMBERS)) this.bind_number(place, name);
    place.querySelector('#add-scheme').addEventListener('click', () => this.add({ scheme: 'alibi', params: {} }));
    place.querySelector('#add-formula').addEventListener('click', () => this.add({ kind: 'bias', formula: '-log(1 + w*n)', params: { w: 1 } }));
    this.rebuild();
  }

  bind_number(place, name) {
    const slider = place.querySelector(`#${name}-slider`), field = place.querySelector(`#${name}`);
    const put = text => {
      this.state[name] = clamp(text, NUMBERS[name]);
      if (name === 'width') this.state.width -= this.state.width % 2;
      this.state.head = Math.min(this.state.head, this.state.heads);
      this.show_numbers(place);
      this.update();
    };
    slider.addEventListener('input', () => put(slider.dataset.powers ? 2 ** Number(slider.value) : slider.value));
    field.addEventListener('change', () => put(field.value));
    this.show_numbers = each => {
      for (const key of Object.keys(NUMBERS)) {
        const own = each.querySelector(`#${key}-slider`);
        own.value = own.dataset.powers ? Math.log2(this.state[key]) : this.state[key];
        own.setAttribute('aria-valuetext', this.state[key]);
        each.querySelector(`#${key}`).value = this.state[key];
      }
    };
    this.show_numbers(place);
  }

  add(item) {
    if (this.state.items.length >= MOST_ITEMS) return;
    this.state.items.push(item);
    this.rebuild();
  }

  parts_of(item) {
    if (!item.scheme) return TYPED[item.kind].parts;
    const scheme = this.schemes.find(each => each.name === item.scheme);
    return scheme ? scheme.parts : ['bias'];
  }

  label_of(item, i) {
    const params = Object.entries(item.params).map(([name, value]) => `${name}=${short(value)}`).join(' ');
    return `${i + 1} ${item.scheme || item.formula.slice(0, 40)}${params ? ' ' + params : ''}`;
  }

  rebuild() {
    this.found = this.state.items.map(() => ({}));
    this.list.replaceChildren(...this.state.items.map((item, i) => this.card(item, i)));
    document.getElementById('add-scheme').disabled = document.getElementById('add-formula').disabled = this.state.items.length >= MOST_ITEMS;
    this.update();
  }

  card(item, i) {
    const card = element('li', { className: 'item' });
    card.style.setProperty('--colour', COLOURS[i]);
    const head = element('div', { className: 'item-head' });
    head.append(item.scheme ? this.picker(item, i) : this.formula_field(item, i));
    head.prepend(this.key(i));
    if (this.state.items.length > 1) {
      const remove = element('button', { type: 'button', className: 'remove', 'aria-label': `Remove ${this.label_of(item, i)}` }, '×');
      remove.addEventListener('click', () => {
        this.state.items.splice(i, 1);
        this.rebuild();
        (this.list.querySelectorAll('.remove')[Math.min(i, this.state.items.length - 1)] || document.getElementById('add-scheme')).focus();
      });
      head.append(remove);
    }
    const about = this.schemes.find(each => each.name === item.scheme);
    card.append(head, ...(about ? [element('p', { className: 'soft' }, about.summary)] : []), this.params(item, i, about));
    card.append(element('pre', { className: 'problem', id: `problem-${i}`, role: 'status' }));
    return card;
  }

  /** The line of an item in the figures. */
  key(i) {
    const line = svg('line', { x1: 0, x2: 28, y1: 6, y2: 6, stroke: COLOURS[i], 'stroke-width': 3, 'stroke-dasharray': DASHES[i] });
    return svg('svg', { class: 'key', width: 28, height: 12, 'aria-hidden': 'true' }, line);
  }

  picker(item, i) {
    const select = element('select', { 'aria-label': `Scheme ${i + 1}` });
    for (const { name } of this.schemes) select.append(element('option', { value: name, selected: name === item.scheme }, name));
    select.addEventListener('change', () => {
      this.state.items[i] = { scheme: select.value, params: {} };
      this.rebuild();
      this.list.querySelectorAll('select')[i]?.focus();
    });
    return select;
  }

  formula_field(item, i) {
    const box = element('div', { className: 'formula' });
    const kind = element('select', { 'aria-label': `What formula ${i + 1} is` });
    for (const each of KINDS) kind.append(element('option', { value: each, selected: each === item.kind }, each));
    kind.addEventListener('change', () => { item.kind = kind.value; this.update(); });
    const editor = new Editor(box, { label: `Formula ${i + 1}`, problems: `problem-${i}`, is_single: true, text: item.formula, changed: text => { item.formula = text; this.update(); } });
    item.mark = problems => editor.mark(problems);
    const names = element('input', { 'aria-label': `Parameters of formula ${i + 1}`, value: params_text(item.params), placeholder: 'parameters: w:1, b:0.5' });
    names.addEventListener('change', () => {
      item.params = params_of(names.value.replace(/\s/g, '').replace(/=/g, ':'));
      // Only what depends on them: whoever leaves the field by Tab goes on to the first slider.
      box.closest('.item').querySelector('.params').replaceWith(this.params(item, i, null));
      this.update();
    });
    box.prepend(kind);
    box.append(names);
    return box;
  }

  params(item, i, about) {
    const box = element('div', { className: 'params', role: 'group', 'aria-label': `Parameters of ${i + 1} ${item.scheme || 'typed'}` });
    const defaults = about ? about.params : item.params;
    for (const [name, value] of Object.entries(defaults)) {
      if (typeof value !== 'number') continue;
      const range = item.ranges?.[name] || slider_range(value);
      (item.ranges ||= {})[name] = range;
      const now = item.params[name] ?? value;
      const slider = element('input', { type: 'range', ...range, value: now, title: about?.means?.[name] || '', 'aria-valuetext': now });
      const field = element('input', { type: 'number', step: 'any', value: now, 'aria-label': `${name} as a number` });
      const put = number => {
        if (!Number.isFinite(number)) return;
        item.params[name] = number;
        slider.value = field.value = number;
        slider.setAttribute('aria-valuetext', number);  // the slider's own value has its nearest step, and ends at its ends
        this.update();
      };
      slider.addEventListener('input', () => put(Number(slider.value)));
      field.addEventListener('change', () => put(Number(field.value)));
      box.append(element('label', {}, element('span', {}, name), slider), field);
    }
    return box;
  }

  /** Asks for all curves of the state; the figures change as they come. */
  update() {
    this.changed();
    put_text(this.status, '');
    this.asked = (this.asked || 0) + 1;
    this.numbers.update();
    if (this.is_running) return;
    this.is_running = true;
    this.draw_all().finally(() => { this.is_running = false; });
  }

  /** One item after another, until nothing has changed meanwhile; at most once in a frame. */
  async draw_all() {
    for (let done = 0, frame = null; done !== this.asked;) {
      await frame;
      frame = new Promise(requestAnimationFrame);
      done = this.asked;
      const items = [...this.state.items];
      for (let i = 0; i < items.length; ++i) {
        await this.draw_item(items[i], i);
        this.draw();
      }
      document.documentElement.dataset.drawn = String(done);
      this.say();
    }
  }

  /** Tells those who do not see the figures that nothing is computed any more. */
  say() {
    const is_settled = document.documentElement.dataset.drawn === String(this.asked) && document.documentElement.dataset.numbers === String(this.numbers.asked);
    if (is_settled) put_text(this.status, 'The figures are up to date.');
  }

  async draw_item(item, i) {
    const text = curves_study(item, this.state, this.parts_of(item));
    if (!this.found[i] || this.found[i].text === text) return;
    const found = { text, series: {}, problem: '' };
    try {
      const answer = await this.engine.curves.run(run_request(text));
      found.series = results_of(answer).series;
      if (answer.status !== 0) found.problem = answer.problems;
    } catch (failure) {
      found.problem = failure.message;
    }
    if (this.state.items[i] !== item) return;
    this.found[i] = found;
    this.tell(item, i, found.problem);
  }

  tell(item, i, problem) {
    const placed = placed_problems(problem);
    const shown = document.getElementById(`problem-${i}`);
    const own = item.scheme ? [] : placed.filter(each => each.line === 2).map(each => ({ ...each, line: 1, column: each.column - formula_start(item) }));
    if (item.mark) item.mark(own);
    const text = placed.length ? [...new Set(placed.map(each => each.message))].join('\n') : problem;
    if (shown && shown.textContent !== text) shown.textContent = text;
  }

  draw() {
    const curves = { bias: [], expectation: [], attention: [] };
    this.state.items.forEach((item, i) => {
      for (const [name, { names, columns }] of Object.entries(this.found[i]?.series || {}))
        curves[name]?.push({ name: this.label_of(item, i), colour: COLOURS[i], dash: DASHES[i], x: columns[0], y: columns[names.indexOf('value')] });
    });
    for (const [name, chart] of Object.entries(this.charts)) chart.set(curves[name]);
    document.documentElement.dataset.first ||= String(performance.now());
  }
}
