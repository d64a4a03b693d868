/** Records spans with OpenTelemetry. This module and its library are loaded only if something receives traces. */
import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from "@opentelemetry/api";
import { SvcError } from "../errors.ts";
import { VERSION } from "../version.ts";

export type { Context, Span };

/** Options of a span. */
export interface SpanOptions {
  /** Parent of the span. Default: the current span. */
  readonly parent?: Context;
  /** Facts without secrets and without content of cases. */
  readonly attributes?: Attributes;
  /** True if the span serves a request of another process. */
  readonly isServer?: boolean;
}

/** Records spans. */
export class Tracer {
  readonly #tracer = trace.getTracer("svc", VERSION);

  /** Returns the current span and its trace. */
  getContext(): Context {
    return context.active();
  }

  /** Returns the trace that the headers of a request name, if they name one. */
  readHeaders(headers: Headers): Context {
    return propagation.extract(ROOT_CONTEXT, headers, {
      get: (carrier, key) => carrier.get(key) ?? undefined,
      keys: (carrier) => [...carrier.keys()],
    });
  }

  /** Returns a trace that continues in other processes and after restarts, because its identifiers derive from a digest. */
  openTrace(digest: Uint8Array): { readonly traceId: string; readonly context: Context } {
    const traceId = digest.subarray(0, 16).toHex();
    const spanId = digest.subarray(16, 24).toHex();
    const parent = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
    return { traceId, context: trace.setSpanContext(ROOT_CONTEXT, parent) };
  }

  /** Does work in a span, which becomes the current one. An error marks it with its code, without its message. */
  async inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
    const { parent = context.active(), attributes, isServer = false } = options;
    const kind = isServer ? SpanKind.SERVER : SpanKind.INTERNAL;
    const span = this.#tracer.startSpan(name, { kind, attributes }, parent);
    try {
      return await context.with(trace.setSpan(parent, span), () => work(span));
    } catch (error) {
      markFailed(span, error instanceof SvcError ? error.code : "INTERNAL_ERROR");
      throw error;
    } finally {
      span.end();
    }
  }
}

/** Marks a span as failed, with the code of the error. */
export function markFailed(span: Span, code: string): void {
  span.setAttribute("error.type", code);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
