// What the page asks of the studio, and what it is told.

export class Refused extends Error {
  constructor(status, answer) {
    super(answer?.error?.message ?? `the studio answered ${status}`);
    this.status = status;
    this.facts = answer?.error ?? {};
    this.superseded = answer?.superseded === true;
    this.conflict = answer?.error?.conflict === true;
  }
}

export async function ask(name, given) {
  const options = given === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(given) };
  let response;
  try {
    response = await fetch(`/api/${name}`, options);
  } catch {
    throw new Refused(0, { error: { message: "The studio does not answer. Is it still running in the terminal?" } });
  }
  const answer = (response.headers.get("content-type") ?? "").includes("json") ? await response.json() : null;
  if (!response.ok || answer?.error || answer?.superseded) throw new Refused(response.status, answer);
  return answer;
}

// Of several questions in a row, the answer to the last one counts.
export function latest(name) {
  const tab = Math.random().toString(36).slice(2);
  let number = 0;
  return async (given) => {
    const mine = ++number;
    try {
      const answer = await ask(name, { ...given, tab, number: mine });
      return mine === number ? answer : null;
    } catch (error) {
      if (mine !== number || error.superseded) return null;
      throw error;
    }
  };
}

export function listen(told) {
  let stream = null;
  const open = () => {
    stream = new EventSource("/api/events");
    stream.onmessage = (message) => told(JSON.parse(message.data));
    stream.onerror = () => told({ kind: "lost" });
  };
  open();
  return () => stream.close();
}

// From what a person did to what is painted, in milliseconds: performance.getEntriesByName("studio:…").
export function painted(name, start) {
  requestAnimationFrame(() => requestAnimationFrame(() => performance.measure(`studio:${name}`, { start, end: performance.now() })));
}
