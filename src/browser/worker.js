// Runs the program in a worker: each message is a command line with its files, answered with the exit status, the output
// and the files that were written. createFarfield is Emscripten's; the page puts its text before this one.
'use strict';

// A study may name files next to its folder, as ../other/table.csv.
const ROOT = '/farfield';
const FOLDER = ROOT + '/studies/one';
let program = null;
let output = [];
let problems = [];

const text_of = bytes => new TextDecoder().decode(Uint8Array.from(bytes));

async function start(code) {
  program = await createFarfield({
    instantiateWasm: (imports, done) => {
      WebAssembly.instantiate(code, imports).then(instance => done(instance));
      return {};
    },
    stdin: () => null,
    stdout: byte => output.push(byte & 255),
    stderr: byte => problems.push(byte & 255),
    printErr: () => {},  // Emscripten's own notes on calls of the system that it lacks
    preRun: [module => {
      // Without a home there is no store of results: the memory does not grow from run to run.
      module.ENV.HOME = '';
      module.ENV.LC_ALL = 'C.UTF-8';
    }],
  });
  program.FS.mkdirTree(FOLDER);
  // One user has no need of permissions.
  program.FS.ignorePermissions = true;
}

function remove(path) {
  const { FS } = program;
  for (const name of FS.readdir(path)) {
    if (name === '.' || name === '..') continue;
    const each = path + '/' + name;
    if (FS.isDir(FS.lstat(each).mode)) {
      remove(each);
      FS.rmdir(each);
    } else {
      FS.unlink(each);
    }
  }
}

const within = name => (FOLDER + '/' + name).split('/').reduce((done, part) => part === '..' ? done.slice(0, -1) : [...done, part], []).join('/');

function write(files) {
  const { FS } = program;
  FS.mkdirTree(FOLDER);
  for (const [name, content] of Object.entries(files)) {
    const path = within(name);
    FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
    FS.writeFile(path, content);
  }
}

/** The files under a folder that was written, by their names in it; series as columns. */
function read(folder, into = {}, before = '') {
  const { FS } = program;
  if (!FS.analyzePath(folder).exists) return into;
  for (const name of FS.readdir(folder)) {
    if (name === '.' || name === '..') continue;
    const path = folder + '/' + name;
    if (FS.isDir(FS.stat(path).mode)) read(path, into, before + name + '/');
    else if (name.endsWith('.csv')) into[before + name] = columns_of(FS.readFile(path));
    else if (name.endsWith('.json')) into[before + name] = FS.readFile(path, { encoding: 'utf8' });
  }
  return into;
}

const WORDS = { inf: Infinity, '-inf': -Infinity };

/** A cell of a series. Looking each text up first would take most of the time of a curve. */
function number_of(text) {
  const value = Number(text);
  return Number.isNaN(value) ? WORDS[text] ?? NaN : value;
}

/** A series file as { names, columns }. */
function columns_of(bytes) {
  const lines = new TextDecoder().decode(bytes).trimEnd().split('\n');
  const names = lines[0].split(',');
  const columns = names.map(() => new Float64Array(lines.length - 1));
  for (let row = 1; row < lines.length; ++row) {
    const cells = lines[row].split(',');
    for (let i = 0; i < names.length; ++i) columns[i][row - 1] = number_of(cells[i]);
  }
  return { names, columns };
}

function perform(words) {
  const pointers = ['farfield', ...words].map(word => program.allocateUTF8(word));
  const list = program._malloc(4 * (pointers.length + 1));
  pointers.forEach((pointer, i) => program.setValue(list + 4 * i, pointer, '*'));
  program.setValue(list + 4 * pointers.length, 0, '*');
  try {
    return program._main(pointers.length, list);
  } finally {
    for (const pointer of [...pointers, list]) program._free(pointer);
  }
}

/** Performs a command in an empty folder that holds the files; a dropped file is read by slices, where it lies. */
function answer({ words, files = {}, dropped = null, results = '' }) {
  const { FS } = program;
  output = [];
  problems = [];
  FS.chdir('/');
  remove(ROOT);
  write(files);
  const mounted = '/dropped';
  if (dropped) {
    FS.mkdirTree(mounted);
    FS.mount(program.WORKERFS, { files: [dropped] }, mounted);
  }
  FS.chdir(FOLDER);
  try {
    const status = perform(words);
    return { status, output: text_of(output), problems: text_of(problems), results: results ? read(FOLDER + '/' + results) : {} };
  } finally {
    FS.chdir('/');
    if (dropped) FS.unmount(mounted);
  }
}

/** The memory of the program, in bytes; for the test that it stays as it is. */
const memory = () => program.HEAP8 ? program.HEAP8.length : 0;

self.onmessage = async ({ data }) => {
  try {
    if (data.code) {
      await start(data.code);
      self.postMessage({ ready: true });
      return;
    }
    const found = answer(data);
    const columns = Object.values(found.results).flatMap(each => (each.columns || []).map(column => column.buffer));
    self.postMessage({ id: data.id, ...found, memory: memory() }, columns);
  } catch (failure) {
    // A trap, such as an exhausted stack: this instance cannot go on.
    self.postMessage({ id: data.id, broken: String(failure && failure.message || failure) });
  }
};
