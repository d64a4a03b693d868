/** `svc service diagram`: the life cycle of an application as Mermaid and as SVG. */
import assert from "node:assert/strict";
import { ServiceHome } from "../../harness/service.ts";
import { PERMIT_FILE } from "../../harness/service_engine.ts";
import { makeFolder, parseErrorRecord, runCommand } from "../../harness/svc.ts";

async function draw(...args: string[]) {
  await using home = await ServiceHome.open();
  return await runCommand(home.command(["service", "diagram", ...args]));
}

/** Returns what follows each node of a flowchart, by the first lines of their texts. */
function readEdges(mermaid: string): string[] {
  const names = new Map(
    [...mermaid.matchAll(/^ +(\w+)[[({/]+"(.*?)(?:<br>.*)?"/gm)].map(([, id = "", name = ""]) => [id, name]),
  );
  return [...mermaid.matchAll(/^ +(\w+) -->(?:\|"(.*)"\|)? (\w+)$/gm)].map(([, from = "", label, to = ""]) =>
    `${names.get(from)} -${label === undefined ? "" : `[${label}]`}> ${names.get(to)}`
  );
}

Deno.test("the Mermaid flowchart has the stages, steps, transitions and ends of a case type", async () => {
  const { code, stdout } = await draw(PERMIT_FILE, "--case-type", "City-Permit-Work-Permit");
  assert.equal(code, 0);
  assert.match(stdout, /^flowchart LR\n/);
  assert.match(stdout, /subgraph \w+\["Withdrawal \(alternate\)"\]/);
  assert.match(stdout, /"Check the application<br>queue: Review of applications"/);
  const edges = readEdges(stdout);
  for (
    const edge of [
      "Permit -> Register the application",
      "Register the application -> Check the application",
      "Register the application -[Withdraw]> Resolved-Withdrawn",
      "Check the application -[!Complete]> Complete the application",
      "Check the application -> Decide",
      "Complete the application -> Check the application",
      "Decide -[Decide: Decision == 'Refuse']> Resolved-Rejected",
      "Decide -[Send back to the review]> Check the application",
      "Decide -> Resolved-Completed",
      "Withdraw the application -> Confirm the withdrawal",
      "Confirm the withdrawal -> Resolved-Withdrawn",
    ]
  ) assert.ok(edges.includes(edge), `${edge} is missing in:\n${edges.join("\n")}`);
  assert.ok(!edges.includes("Check the application -> Complete the application"), "the step ends its process");
});

Deno.test("a diagram shows the conditions of processes and the due times of steps", async () => {
  const review = "        processes:\n          Review:\n            name: Review\n";
  const sample = await Deno.readTextFile(PERMIT_FILE);
  assert.ok(sample.includes(review));
  const yaml = sample
    .replace(
      review,
      `        processes:
          Visit: { name: Visit, when: Area > 500.0, steps: { Measure: { name: Measure, dueDays: 1 } } }
          Review:
            name: Review
            when: Channel != 'Desk'
`,
    )
    .replace("urgency: 20\n", "urgency: 20\n                dueDays: 5\n")
    .replace("name: Site visit\n", "name: Site visit\n        when: Urgent\n");
  await using folder = await makeFolder({ "app.yaml": yaml });
  const file = `${folder.path}/app.yaml`;
  const { stdout } = await draw(file, "--case-type", "City-Permit-Work-Permit");
  const edges = readEdges(stdout);
  for (
    const edge of [
      "Register the application -[Area > 500.0]> Measure",
      "Register the application -[Channel != 'Desk']> Check the application",
      "Register the application -> Decide",
      "Measure -[Channel != 'Desk']> Check the application",
      "Measure -> Decide",
      "Decide -[Send back to the review: Area > 500.0]> Measure",
    ]
  ) assert.ok(edges.includes(edge), `${edge} is missing in:\n${edges.join("\n")}`);
  assert.match(stdout, /"Measure<br>the creator<br>due after 1 day"/);
  assert.match(stdout, /"Check the application<br>queue: Review of applications<br>due after 5 days"/);
  assert.match(stdout, /subgraph \w+\["Site visit \(optional\)<br>if Urgent"\]/);

  const { stdout: svg } = await draw(file, "--case-type", "City-Permit-Work-Permit", "--format", "svg");
  for (
    const text of ["if Area &#62; 500.0", "if Channel != 'Desk'", "if Urgent", "due after 1 day", "due after 5 days"]
  ) {
    assert.ok(svg.includes(`>${text}</text>`), text);
  }
});

Deno.test("a file that ends with .svg gets an image with all case types, and texts are escaped", async () => {
  await using folder = await makeFolder({
    "app.yaml": (await Deno.readTextFile(PERMIT_FILE)).replace("name: Intake\n", 'name: "Intake <&> \\"more\\""\n'),
  });
  await using home = await ServiceHome.open();
  home.writable.push(folder.path);
  const file = `${folder.path}/app.svg`;
  const { code, stderr } = await runCommand(
    home.command(["service", "diagram", `${folder.path}/app.yaml`, "-o", file]),
  );
  assert.deepEqual([code, stderr], [0, ""]);
  const svg = await Deno.readTextFile(file);
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" role="img" /);
  assert.ok(svg.includes('class="stage">Intake &#60;&#38;&#62; &#34;more&#34;</text>'), svg);
  for (const text of ["Permit", "Receipt of a request", "Pending-Review", "→ Resolved-Completed"]) {
    assert.ok(svg.includes(`>${text}</text>`), text);
  }
});

Deno.test("an image contains no character that XML forbids", async () => {
  const sample = await Deno.readTextFile(PERMIT_FILE);
  await using folder = await makeFolder({
    "app.yaml": sample.replace("name: Permit\n", 'name: "Per\\u0001mit\\uffff"\n'),
  });
  const { code, stdout, stderr } = await draw(`${folder.path}/app.yaml`, "--format", "svg");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Per\ufffdmit\ufffd/);
  // deno-lint-ignore no-control-regex -- looking for them is the point
  assert.doesNotMatch(stdout, /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/);
});

Deno.test("--format svg prints the image, and an unknown case type is refused with the known ones", async () => {
  assert.match((await draw("--format", "svg")).stdout, /^<svg .*<\/svg>\n$/s);
  const refused = await draw(PERMIT_FILE, "--case-type", "Nope");
  assert.equal(refused.code, 2);
  assert.match(String(parseErrorRecord(refused).hint), /City-Permit-Work-Permit/);
});
