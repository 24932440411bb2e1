// The tab that runs a study: its problems at their place, its results, its verdicts.
'use strict';

const EXAMPLE = `[quantity.key]
kind = "range"
formula = "(0.4/1.4)^(-p/512)"
over = { p = { from = 0, to = 8191 } }
format = "fp16"

[[claim]]
id = "X-1"
says = "xPos's key factor fits into fp16 at 8192 tokens."
holds = "key.last_finite == 8191"
shows = "key.last_finite"
`;

const enclosure_text = range => range ? `[${range.map(each => each === null ? '?' : String(each)).join(', ')}]` : '';

class StudyTab {
  constructor(place, engine, state, changed) {
    Object.assign(this, { place, engine, state, changed });
    this.results = place.querySelector('#study-results');
    this.problems = place.querySelector('#study-problems');
    this.status = place.querySelector('#study-status');
    if (!state.study) state.study = EXAMPLE;
    this.editor = new Editor(place.querySelector('#study-editor'), {
      label: 'Study file', problems: 'study-problems', text: state.study, changed: text => this.edited(text),
      complete: (text, word) => this.schema ? completions_of(this.schema, text, word) : [],
    });
    place.querySelector('#study-run').addEventListener('click', () => this.run());
    place.addEventListener('dragover', event => event.preventDefault());
    this.files = place.querySelector('#study-files');
    place.addEventListener('drop', event => {
      event.preventDefault();
      this.take(event.dataTransfer.files);
    });
    place.querySelector('#study-file').addEventListener('change', event => this.take(event.target.files));
    this.list_files();
  }

  async open() {
    if (!this.schema) this.schema = JSON.parse((await this.engine.studies.run({ words: ['schema'] })).output);
    this.run();
  }

  /** Files that were dropped or opened: a study takes the place of the text, others are next to it. */
  async take(files) {
    for (const file of files) {
      if (/\.toml$/i.test(file.name)) this.put(await file.slice(0, 1 << 20).text());
      else this.state.files[file.name] = new Uint8Array(await file.arrayBuffer());
    }
    this.list_files();
    this.edited(this.state.study);
  }

  list_files() {
    this.files.replaceChildren(...Object.entries(this.state.files).map(([name, bytes]) => {
      const remove = element('button', { type: 'button', 'aria-label': `Remove ${name}` }, '×');
      remove.addEventListener('click', () => {
        delete this.state.files[name];
        this.list_files();
        this.edited(this.state.study);
        document.getElementById('study-file').focus();
      });
      return element('li', {}, `${name}, ${bytes.length.toLocaleString('en')} bytes${bytes.length > MOST_BYTES_IN_LINK ? ', too long for a link' : ''} `, remove);
    }));
  }

  put(text) {
    this.editor.text = text;
    this.edited(text);
  }

  edited(text) {
    this.state.study = text;
    this.changed();
    clearTimeout(this.later);
    this.later = setTimeout(() => this.run(), 500);
  }

  async run() {
    clearTimeout(this.later);
    this.status.textContent = 'Running…';
    try {
      const request = run_request(this.state.study, this.state.files);
      request.words = request.words.filter(word => word !== '--quiet');
      const answer = await this.engine.studies.run(request);
      this.show(answer);
    } catch (failure) {
      if (failure.kind === 'newer') return;
      this.editor.mark([]);
      this.problems.textContent = failure.message;
      this.status.textContent = 'Stopped.';
    }
    document.documentElement.dataset.study = String(Number(document.documentElement.dataset.study || 0) + 1);
  }

  show(answer) {
    const placed = placed_problems(answer.problems);
    this.editor.mark(placed);
    this.problems.textContent = answer.problems;
    this.status.textContent = `Exit status ${answer.status}. ${answer.output.trim().split('\n').pop()}`;
    const { record, series } = results_of(answer);
    this.results.replaceChildren();
    if (record) {
      this.results.append(this.claims(record.claims || []));
      for (const [name, figure] of Object.entries(record.figures || {})) this.figure(name, figure, series);
      this.results.append(this.quantities(record.quantities));
    }
    const named = ['claim', 'figure'].map(each => this.state[each] && document.getElementById(`${each}-${this.state[each]}`)).find(Boolean);
    if (named) named.scrollIntoView({ block: 'center' });
  }

  /** The curves of a figure: of each series, and each item of a swept one, the values over the first column. */
  figure(name, figure, series) {
    const is_shown = each => figure.series?.some(one => each === one || each.startsWith(one + '['));
    const curves = Object.entries(series).filter(([each, { names }]) => is_shown(each) && names.includes('value'))
      .map(([each, { names, columns }], i) => ({ name: each, colour: COLOURS[i % COLOURS.length], dash: DASHES[i % DASHES.length], x: columns[0], y: columns[names.indexOf('value')], x_name: names[0] }));
    if (!curves.length) return;
    const chart = new Chart(this.results, { id: `figure-${name}`, title: figure.title || name, x_name: curves[0].x_name, x_symbol: curves[0].x_name, y_name: 'value' });
    chart.set(curves);
  }

  table(title, names, rows) {
    const head = element('tr', {}, ...names.map(name => element('th', { scope: 'col' }, name)));
    return element('div', { className: 'scroll', role: 'region', 'aria-label': title, tabIndex: 0 }, element('table', {}, element('caption', {}, title), element('thead', {}, head), element('tbody', {}, ...rows)));
  }

  claims(claims) {
    if (!claims.length) return element('p', { className: 'soft' }, 'The study makes no claim.');
    const rows = claims.map(claim => element('tr', { id: `claim-${claim.id}` }, element('th', { scope: 'row' }, claim.id), element('td', { className: `verdict ${claim.verdict}` }, claim.verdict),
      element('td', {}, claim.certified ? 'certified' : ''), element('td', {}, claim.says || ''), element('td', {}, this.shown(claim))));
    return this.table('Verdicts', ['Claim', 'Verdict', 'Certainty', 'It says', 'Readings'], rows);
  }

  shown(claim) {
    return (claim.readings || []).map(reading => `${reading.name}: ${reading.verdict}. ${reading.explain || ''}`).join(' ');
  }

  quantities(quantities) {
    const rows = [];
    for (const [name, quantity] of Object.entries(quantities))
      for (const [key, value] of Object.entries(quantity.values || {}))
        rows.push(element('tr', {}, element('th', { scope: 'row' }, `${name}.${key}`), element('td', {}, String(value)),
          element('td', {}, enclosure_text(quantity.enclosures?.[key])), element('td', {}, quantity.rigour?.[key] || '')));
    return this.table('Results', ['Value', 'Number', 'Enclosure', 'Rigour'], rows);
  }
}
