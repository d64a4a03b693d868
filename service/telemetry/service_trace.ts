/** Traces requests: one span each, with a child span for each unit of work. Loaded only if traces are on. */
import { markFailed, Tracer } from "../../lib/telemetry/tracer.ts";
import { type RequestObserver, SERVICE_ERROR } from "../http/observed_call.ts";
import type { Store } from "../store/store.ts";
import { observeStore } from "./observed_store.ts";

/** The traces of a service. They contain no path, operator or case content. */
export class ServiceTrace {
  readonly #tracer = new Tracer();

  /** Continues the trace of a request. */
  readonly observe: RequestObserver = (call, respond) => {
    const { request } = call;
    const { method } = request;
    const parent = this.#tracer.readParent((name) => request.header(name));
    const attributes = { "http.request.method": method };
    return this.#tracer.inSpan(method, { parent, attributes, isServer: true }, async (span) => {
      call.traceId = span.spanContext().traceId;
      const response = await respond();
      const { status } = response;
      if (call.operation !== undefined) span.updateName(call.operation);
      span.setAttribute("http.response.status_code", status);
      if (status >= SERVICE_ERROR) markFailed(span, String(status));
      return response;
    });
  };

  /** Returns a store whose units of work are spans. */
  watchStore(store: Store): Store {
    return observeStore(store, (kind, run) => this.#tracer.inSpan(`store ${kind}`, {}, run));
  }
}
