/** The screen of `svc inbox --watch`: what it shows after refreshes and keys. */
import assert from "node:assert/strict";
import { InboxScreen } from "../../../cli/work/inbox_screen.ts";
import { KEYS } from "../../harness/terminal.ts";

const SIZE = { columns: 40, rows: 8, color: false };

function openScreen(): { screen: InboxScreen; update: (...ids: string[]) => void; shown: () => string[] } {
  const screen = new InboxScreen(10);
  return {
    screen,
    update: (...ids) =>
      screen.update({
        header: ["case"],
        rows: ids.map((id) => ({ id, text: id })),
        hasMore: false,
        time: new Date("2026-01-02T03:04:05"),
      }),
    shown: () => screen.draw(SIZE).slice(2),
  };
}

Deno.test("the screen shows as many rows as fit, and keys move them by rows and pages", () => {
  const { screen, update, shown } = openScreen();
  update(..."abcdefghij");
  assert.deepEqual(screen.draw(SIZE), [
    ...["10 assignments. Read at 03:04:05, every…", "", "  case", "  a", "  b", "  c", "  d", "↓ 6 below"],
  ]);
  const moves: [key: string, first: string, last: string][] = [
    [KEYS.down, "b", "↑ 1 above   ↓ 5 below"],
    ["j", "c", "↑ 2 above   ↓ 4 below"],
    [KEYS.up, "b", "↑ 1 above   ↓ 5 below"],
    [" ", "f", "↑ 5 above   ↓ 1 below"],
    ["\x1b[6~", "g", "↑ 6 above"],
    ["\x1b[5~", "c", "↑ 2 above   ↓ 4 below"],
    ["G", "g", "↑ 6 above"],
    ["x", "g", "↑ 6 above"],
    ["g", "a", "↓ 6 below"],
    ["k", "a", "↓ 6 below"],
  ];
  for (const [key, first, last] of moves) {
    assert.equal(screen.press(key, SIZE), true);
    assert.deepEqual([shown()[1], shown().at(-1)], [`  ${first}`, last], JSON.stringify(key));
  }
  for (const key of ["q", KEYS.ctrlC, KEYS.ctrlD]) assert.equal(screen.press(key, SIZE), false);
});

Deno.test("a refresh marks new rows until a key is pressed, and does not scroll", () => {
  const { screen, update, shown } = openScreen();
  update(..."abcdef");
  screen.press("j", SIZE);
  update("x", ..."abcdef");
  assert.deepEqual(shown(), ["  case", "  b", "  c", "  d", "  e", "↑ 2 above   ↓ 1 below"]);
  assert.match(
    screen.draw({ ...SIZE, columns: 80 })[0] ?? "",
    /^7 assignments, 1 new \(●\)\. Read at 03:04:05, every 10 s/,
  );
  screen.press("g", SIZE);
  update("y", "x", ..."abcdef");
  assert.deepEqual(shown(), ["  case", "● y", "  x", "  a", "  b", "↓ 4 below"]);
  update("a");
  assert.deepEqual(shown(), ["  case", "  a", ""]);
  update();
  assert.match(screen.draw({ ...SIZE, columns: 80 })[0] ?? "", /^No open work\. Read at/);
});

Deno.test("a failed refresh is explained with the time of the last one, and the rows stay", () => {
  const { screen, update, shown } = openScreen();
  update("a");
  screen.fail("The service did not respond.");
  const [status] = screen.draw({ ...SIZE, columns: 80 });
  assert.equal(status, "1 assignment. Read at 03:04:05. The service did not respond.");
  assert.equal(shown()[1], "  a");
  update("a");
  assert.match(screen.draw({ ...SIZE, columns: 80 })[0] ?? "", /every 10 s\. Press q to quit\.$/);
});
