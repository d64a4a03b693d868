import assert from "node:assert/strict";
import { WriteBuffer } from "../../../workflows/journal/sqlite/write_buffer.ts";

Deno.test("after a failed commit nothing more is written, so that a journal has no gaps", async () => {
  const written: number[] = [];
  let isFull = true;
  let isOpen = false;
  const buffer = new WriteBuffer({
    isOpen: () => isOpen,
    begin: () => Promise.resolve(void (isOpen = true)),
    commit: () => {
      if (isFull) throw new Error("disk full");
      isOpen = false;
    },
    rollback: () => void (isOpen = false),
    save: () => {},
    release: () => {},
    rollbackToSavepoint: () => {},
  }, (cause) => new Error("cannot be written", { cause }));
  buffer.add(() => written.push(1));
  await buffer.flush();
  isFull = false;
  buffer.add(() => written.push(2));
  await buffer.flush();
  await assert.rejects(buffer.durable(), /cannot be written/);
  await buffer.close(); // `durable` has reported the failure.
  assert.deepEqual(written, [1]);
});

Deno.test("writes are committed together and in order, and none after a failed one", async () => {
  const log: string[] = [];
  const note = (text: string) => () => void log.push(text);
  let isOpen = false;
  const buffer = new WriteBuffer({
    isOpen: () => isOpen,
    begin: () => {
      isOpen = true;
      log.push("begin");
      return Promise.resolve();
    },
    commit: () => {
      isOpen = false;
      log.push("commit");
    },
    rollback: note("rollback"),
    save: () => {},
    release: () => {},
    rollbackToSavepoint: () => {},
  }, (cause) => new Error("cannot be written", { cause }));
  buffer.add(note("1"));
  const first = buffer.durable();
  buffer.add(note("2"));
  await Promise.all([first, buffer.durable()]);
  assert.deepEqual(log, ["begin", "1", "2", "commit"]);
  buffer.add(() => {
    throw new Error("no");
  });
  await assert.rejects(buffer.durable(), /cannot be written/);
  buffer.add(note("3"));
  await assert.rejects(buffer.durable(), /cannot be written/);
  assert.equal(buffer.hasFailed, true);
  assert.equal(log.includes("3"), false);
});

Deno.test("a read commits the buffered writes only if one of them is about its subject", async () => {
  const log: string[] = [];
  const note = (text: string) => () => void log.push(text);
  let isOpen = false;
  const buffer = new WriteBuffer({
    isOpen: () => isOpen,
    begin: () => Promise.resolve(void (isOpen = true)),
    commit: () => {
      isOpen = false;
      log.push("commit");
    },
    rollback: () => {},
    save: () => {},
    release: () => {},
    rollbackToSavepoint: () => {},
  }, (cause) => new Error("cannot be written", { cause }));
  buffer.add(note("1"), "one");
  await buffer.flush("other");
  assert.deepEqual(log, []);
  await buffer.flush("one");
  await buffer.flush("one");
  assert.deepEqual(log, ["1", "commit"]);
  buffer.add(note("2"), "one");
  buffer.add(note("3"));
  await buffer.flush("other");
  assert.deepEqual(log, ["1", "commit", "2", "3", "commit"]);
  await buffer.close();
});
