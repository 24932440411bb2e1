// Workers that run the program. A lane has one command at work and the newest of those that wait: typing never waits.
'use strict';

/** Why a command was given up: a newer one took its place, or it reached the time limit, or the program broke. */
class GivenUp extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

class Lane {
  constructor(source, code, seconds) {
    this.source = source;
    this.code = code;
    this.seconds = seconds;
    this.next_id = 0;
    this.working = null;
    this.waiting = null;
    this.is_ready = false;
    this.restart();
  }

  restart() {
    if (this.worker) this.worker.terminate();
    this.is_ready = false;
    this.worker = new Worker(this.source);
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = event => this.receive({ broken: event.message });
    this.worker.postMessage({ code: this.code });
  }

  /** Performs the command; rejects with GivenUp. */
  run(request) {
    return new Promise((resolve, reject) => {
      if (this.waiting) this.waiting.reject(new GivenUp('newer', 'a newer command replaced it'));
      this.waiting = { request, resolve, reject };
      this.begin();
    });
  }

  begin() {
    if (!this.is_ready || this.working || !this.waiting) return;
    this.working = this.waiting;
    this.waiting = null;
    this.working.id = ++this.next_id;
    this.working.timer = setTimeout(() => this.stop(), 1000 * (this.working.request.seconds || this.seconds));
    this.worker.postMessage({ id: this.working.id, ...this.working.request });
  }

  stop() {
    const seconds = this.working.request.seconds || this.seconds;
    this.end().reject(new GivenUp('limit', `stopped after ${seconds} seconds of work; expected a formula or a study that takes less`));
    this.restart();
  }

  end() {
    const ended = this.working;
    this.working = null;
    clearTimeout(ended.timer);
    return ended;
  }

  receive(data) {
    if (data.ready) {
      this.is_ready = true;
    } else if (data.broken) {
      if (this.working) this.end().reject(new GivenUp('broken', `the program stopped: ${data.broken}`));
      this.restart();
    } else if (this.working && data.id === this.working.id) {
      this.end().resolve(data);
    }
    this.begin();
  }
}

/** The program of an element's base64 text, compiled while it is unzipped. */
function embedded_program(id) {
  const binary = atob(document.getElementById(id).textContent.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compileStreaming(new Response(stream, { headers: { 'Content-Type': 'application/wasm' } }));
}

/** Lanes over one compiled program. */
class Engine {
  static async start() {
    const source = URL.createObjectURL(new Blob([document.getElementById('worker-source').textContent], { type: 'text/javascript' }));
    const code = await embedded_program('program');
    return new Engine(source, code);
  }

  constructor(source, code) {
    this.lanes = new Map();
    this.lane = (name, seconds) => {
      if (!this.lanes.has(name)) this.lanes.set(name, new Lane(source, code, seconds));
      return this.lanes.get(name);
    };
  }

  /** What a page asks at each change; what may take longer; whole studies and configurations. */
  get curves() { return this.lane('curves', 5); }
  get slow() { return this.lane('slow', 20); }
  get studies() { return this.lane('studies', 60); }
}
