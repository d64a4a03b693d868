/** A response of the service. It is cheaper to create and to send than a `Response`. */
export interface ServiceResponse {
  readonly status: number;
  /** Headers by their names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or bytes whose number is in the header `content-length`. */
  readonly body: string | ReadableStream<Uint8Array>;
}
