/** An answer that a server holds back until the test gives it. */
export interface HeldAnswer {
  /** What the server answers with. */
  readonly answer: () => Promise<Response>;
  /** Resolves when the server was asked. */
  readonly asked: Promise<void>;
  /** Lets the server answer. */
  readonly give: (response: Response) => void;
}

/** Makes one. */
export function heldAnswer(): HeldAnswer {
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<Response>();
  const answer = () => {
    asked.resolve();
    return held.promise;
  };
  return { answer, asked: asked.promise, give: held.resolve };
}
