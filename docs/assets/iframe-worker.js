// The search of the site runs in a worker, which browsers refuse to a page from the disk. There its script runs in a hidden
// frame with what it uses of a worker: postMessage, messages and importScripts.
if (location.protocol === "file:") {
    window.Worker = class extends EventTarget {
        constructor(address) {
            super();
            this.frame = document.createElement("iframe");
            this.frame.hidden = true;
            document.body.append(this.frame);
            this.scope = this.frame.contentWindow;
            this.scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
            this.scope.importScripts = async (...scripts) => {
                for (const script of scripts) await this.load(script);
            };
            this.scope.addEventListener("error", ({ error, message }) => this.dispatchEvent(new ErrorEvent("error", { error, message })));
            this.ready = this.load(address);
        }

        load(address) {
            return new Promise((resolve, reject) => {
                const script = this.scope.document.createElement("script");
                script.src = new URL(address, document.baseURI).href;
                script.onload = resolve;
                script.onerror = () => reject(new Error(`${script.src} cannot be loaded`));
                this.scope.document.body.append(script);
            });
        }

        postMessage(data) {
            this.ready.then(() => this.scope.dispatchEvent(new MessageEvent("message", { data })));
        }

        terminate() {
            this.frame.remove();
        }
    };
}
