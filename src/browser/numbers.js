// The numbers of the compared schemes as figures and as a table: receptive fields, R(s) and safe lengths.
'use strict';

const FORMATS = ['fp32', 'fp16', 'bf16', 'e4m3', 'e5m2'];
const FORMAT_PLACES = FORMATS.map((_, i) => i);
// In milliseconds: what takes longer than QUICK waits for a PAUSE, or it would take the processor from the curves.
const QUICK = 200, PAUSE = 200;
const NUMBER_NAMES = ['R', 'exact', 'predicted', ...FORMATS];

const safe_text = ({ length, is_longest, limit }) =>
  (is_longest ? '' : '≥ ') + length.toLocaleString('en') + (is_longest && limit ? ` ${limit}` : '');

class Numbers {
  /** compare says of an item its parts and its label. */
  constructor(place, engine, state, compare) {
    Object.assign(this, { engine, state, compare, asked: 0, took: 0, known: new WeakMap() });
    this.rows = place.querySelector('#numbers tbody');
    const figures = place.querySelector('#figures');
    this.charts = {
      field: new Chart(figures, { id: 'field', title: 'Receptive field by layers', x_name: 'layers r', x_symbol: 'r', y_name: 'positions that reach the last output', has_points: true, is_logarithmic: true }),
      resolution: new Chart(figures, { id: 'resolution', title: 'Resolution R(s)', x_name: 'N, the last distance of the sum', x_symbol: 'N', x_text: value => short(Math.round(2 ** value)), y_name: 'R(s) over distances 0 to N', has_points: true }),
      safe: new Chart(figures, { id: 'safe', title: 'Safe length by format', x_name: 'number format', x_symbol: 'format', x_text: value => FORMATS[value] || '', y_name: 'longest safe sequence in tokens', has_points: true, is_logarithmic: true }),
    };
  }

  /** Asks for the numbers of the state; figures and table change as they come. */
  update() {
    ++this.asked;
    this.plan();
  }

  plan() {
    clearTimeout(this.later);
    this.later = setTimeout(() => this.compute_all(), this.took < QUICK ? 0 : PAUSE);
  }

  async compute_all() {
    if (this.is_running) return;
    this.is_running = true;
    const asked = this.asked;
    this.spent = 0;
    this.show();
    for (let i = 0; i < this.state.items.length; ++i) await this.compute(i);
    this.is_running = false;
    if (this.spent > 0) this.took = this.spent;
    if (asked !== this.asked) {
      this.plan();
    } else {
      document.documentElement.dataset.numbers = String(asked);
      this.compare.say();
    }
  }

  async compute(i) {
    const item = this.state.items[i], known = this.known_of(item);
    await this.renew(known, 'fields', numbers_study(item, this.state, this.compare.parts_of(item)), text => this.fields(text));
    await this.renew(known, 'safe', JSON.stringify(safe_length_request(item)), () => this.safe_lengths(item));
    this.show();
  }

  known_of(item) {
    if (!this.known.has(item)) this.known.set(item, {});
    return this.known.get(item);
  }

  /** Computes a part of what is known of an item, unless it was computed from the same text. */
  async renew(known, part, text, compute) {
    if (known[part]?.text === text) return;
    const start = performance.now();
    try {
      known[part] = { text, ...await compute(text) };
    } catch (failure) {
      known[part] = { text, problem: failure.kind === 'limit' ? 'stopped' : failure.message };
    }
    this.spent += performance.now() - start;
  }

  /** The series by layers and by N, and the numbers of all layers and of the whole length. */
  async fields(text) {
    const layers = layers_shown(this.state), lasts = lasts_shown(this.state), all = this.state.layers;
    const { quantities } = results_of(await this.engine.slow.run(run_request(text)));
    const value = (quantity, name) => quantities[quantity]?.values[name] ?? null;
    const field = name => layers.map(each => value(`field[layers=${each}]`, name) ?? NaN);
    return {
      layers, exact: field('exact'), predicted: field('predicted'),
      lasts: lasts.map(Math.log2), R: lasts.map(each => value(`resolution[N=${each}]`, 'R') ?? NaN),
      table: { R: value(`resolution[N=${lasts.at(-1)}]`, 'R'), exact: value(`field[layers=${all}]`, 'exact'), predicted: value(`field[layers=${all}]`, 'predicted') },
    };
  }

  async safe_lengths(item) {
    const answer = await this.engine.slow.run(safe_length_request(item));
    const found = answer.status === 0 ? JSON.parse(answer.output) : [];
    const of = FORMATS.map(format => found.find(each => each.format === format));
    const words = of.map(each => each ? safe_text(each) : '–');
    return { lengths: of.map(each => each?.length ?? NaN), words, table: Object.fromEntries(FORMATS.map((format, i) => [format, words[i]])) };
  }

  show() {
    const curves = { field: [], resolution: [], safe: [] };
    this.state.items.forEach((item, i) => {
      const { fields, safe } = this.known_of(item);
      const colour = COLOURS[i], name = this.compare.label_of(item, i);
      const put = (chart, curve) => { if (curve.y.some(Number.isFinite)) curves[chart].push({ colour, ...curve }); };
      if (fields?.layers) {
        put('field', { name: `${name}, predicted`, x: fields.layers, y: fields.predicted });
        put('field', { name: `${name}, theoretical`, dash: '7 3', x: fields.layers, y: fields.exact });
        put('resolution', { name, dash: DASHES[i], x: fields.lasts, y: fields.R });
      }
      if (safe?.lengths) put('safe', { name, dash: DASHES[i], x: FORMAT_PLACES, y: safe.lengths, words: safe.words });
    });
    for (const [name, chart] of Object.entries(this.charts)) chart.set(curves[name]);
    const rows = this.state.items.map((item, i) => this.row(item, i));
    if (rows.map(row => row.outerHTML).join('') !== this.rows.innerHTML) this.rows.replaceChildren(...rows);
  }

  row(item, i) {
    const row = element('tr', {}, element('th', { scope: 'row' }, this.compare.label_of(item, i)));
    row.style.setProperty('--colour', COLOURS[i]);
    const known = this.known_of(item);
    for (const name of NUMBER_NAMES) {
      const part = known[FORMATS.includes(name) ? 'safe' : 'fields'];
      const value = part?.table?.[name];
      const text = !part ? '…' : part.problem || (typeof value === 'number' ? short(value) : value ?? '–');
      row.append(element('td', { 'data-name': name }, text));
    }
    return row;
  }
}
