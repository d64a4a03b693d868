/** Records spans with OpenTelemetry. This module and its library are loaded only if traces are on. */
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
  /** Attributes without secrets and case content. */
  readonly attributes?: Attributes;
  /** True if the span serves a request of another process. */
  readonly isServer?: boolean;
}

/** Records spans. */
export class Tracer {
  readonly #tracer = trace.getTracer("svc", VERSION);

  /** Returns the current trace context. */
  getContext(): Context {
    return context.active();
  }

  /** Extracts the trace context from the headers of a request, or returns an empty one. */
  readParent(readHeader: (name: string) => string | undefined): Context {
    return propagation.extract(ROOT_CONTEXT, readHeader, { get: (read, name) => read(name), keys: () => [] });
  }

  /** Derives a trace from a digest, so that other processes, and this one after a restart, continue the same trace. */
  openTrace(digest: Uint8Array): { readonly traceId: string; readonly context: Context } {
    const traceId = digest.subarray(0, 16).toHex();
    const spanId = digest.subarray(16, 24).toHex();
    const parent = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
    return { traceId, context: trace.setSpanContext(ROOT_CONTEXT, parent) };
  }

  /** Runs work in a new span, which becomes the current one. An error marks the span with its code, not its message. */
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
