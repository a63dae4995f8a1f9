"use strict";
// Browsers start no worker on pages that are opened from disk. There, a worker is a hidden frame that runs its script.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc = "<!doctype html>";
      this.frame.onload = () => this.start(new URL(address, location.href));
      document.documentElement.append(this.frame);
    }
    start(address) {
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.tell(new MessageEvent("message", { data: structuredClone(data) })); // later, as from a worker
      const script = inside.document.createElement("script");
      script.src = address;
      script.onload = () => {
        this.inside = inside;
        for (const data of this.waiting.splice(0)) this.postMessage(data);
      };
      script.onerror = () => this.tell(new Event("error"));
      inside.document.head.append(script);
    }
    tell(event) {
      setTimeout(() => { this.dispatchEvent(event); this[`on${event.type}`]?.(event); });
    }
    postMessage(data) {
      if (!this.inside) { this.waiting.push(data); return; }
      const event = new MessageEvent("message", { data: this.inside.structuredClone(data) });
      setTimeout(() => this.inside.onmessage?.(event));
    }
    terminate() {
      this.frame.remove();
    }
  };
