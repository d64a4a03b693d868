/** Reports whether a promise has settled. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const unsettled = Symbol();
  return (await Promise.race([promise, Promise.resolve(unsettled)])) !== unsettled;
}
