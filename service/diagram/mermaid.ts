/** Writes life cycles as a Mermaid flowchart. */
import type { Follower, LifeCycle, StepNode } from "./life_cycle.ts";

/** Writes life cycles as one flowchart. */
export function writeMermaid(lifeCycles: readonly LifeCycle[]): string {
  const lines = ["flowchart LR"];
  lifeCycles.forEach((lifeCycle, index) => lines.push(...new Flowchart(`c${index}`, lifeCycle).write()));
  return lines.join("\n") + "\n";
}

/** The part of the flowchart for one case type. */
class Flowchart {
  readonly #prefix: string;
  readonly #lifeCycle: LifeCycle;
  readonly #ids = new Map<string, string>();
  readonly #ends = new Map<string, string>();
  readonly #edges: string[] = [];

  constructor(prefix: string, lifeCycle: LifeCycle) {
    this.#prefix = prefix;
    this.#lifeCycle = lifeCycle;
  }

  write(): string[] {
    const { name, stages, moves } = this.#lifeCycle;
    const start = `${this.#prefix}start`;
    const groups = stages.flatMap(({ id, name, kind, processes }) => [
      `  subgraph ${this.#identify(`stage ${id}`)}[${quote(kind === "Alternate" ? `${name} (alternate)` : name)}]`,
      ...processes.flatMap(({ steps }) => steps).map((step) => `    ${this.#identify(step.id)}${draw(step)}`),
      ...(processes.every(({ steps }) => steps.length === 0) ? [`    ${this.#identify(`empty ${id}`)}[" "]`] : []),
      "  end",
    ]);
    const [first] = stages;
    if (first) this.#connect(start, this.#enter(first.id));
    for (const { id, processes, exit } of stages) {
      const regular = processes.filter(({ optional }) => !optional);
      for (const process of processes) {
        const after = process.optional ? undefined : regular[regular.indexOf(process) + 1]?.steps[0];
        process.steps.forEach((step, index) => {
          const from = this.#identify(step.id);
          const next = process.steps[index + 1];
          if (step.continues && next) this.#connect(from, this.#identify(next.id));
          if (step.ends && after) this.#connect(from, this.#identify(after.id));
          else if (step.ends && exit && !process.optional) this.#connectTo(from, exit);
          for (const jump of step.jumps) this.#connectTo(from, jump);
        });
      }
      if (exit && regular.length === 0) this.#connectTo(this.#enter(id), exit);
    }
    const actions = moves.map(({ name, to }, index) => {
      const action = `${this.#prefix}move${index}`;
      this.#connectTo(action, to);
      return `  ${action}[/${quote(name)}/]`;
    });
    const ends = Array.from(this.#ends, ([status, id]) => `  ${id}([${quote(status)}])`);
    return [`  ${start}([${quote(name)}])`, ...groups, ...actions, ...ends, ...this.#edges];
  }

  #connectTo(from: string, { kind, target, label }: Follower): void {
    this.#connect(
      from,
      kind === "status" ? this.#end(target) : kind === "stage" ? this.#enter(target) : this.#identify(target),
      label,
    );
  }

  #connect(from: string, to: string, label?: string): void {
    this.#edges.push(`  ${from} -->${label === undefined ? "" : `|${quote(label)}|`} ${to}`);
  }

  /** Returns the first step of a stage. */
  #enter(stage: string): string {
    const group = this.#lifeCycle.stages.find(({ id }) => id === stage);
    const first = group?.processes.find(({ optional }) => !optional)?.steps[0] ?? group?.processes[0]?.steps[0];
    return this.#identify(first?.id ?? `empty ${stage}`);
  }

  #end(status: string): string {
    const id = this.#ends.get(status) ?? `${this.#prefix}end${this.#ends.size}`;
    this.#ends.set(status, id);
    return id;
  }

  /** Returns the identifier of a node. IDs of a definition may contain words that Mermaid reserves. */
  #identify(key: string): string {
    const id = this.#ids.get(key) ?? `${this.#prefix}n${this.#ids.size}`;
    this.#ids.set(key, id);
    return id;
  }
}

function draw({ name, detail, kind }: StepNode): string {
  const text = quote(`${name}\n${detail}`);
  return kind === "assignment" ? `[${text}]` : kind === "child" ? `[[${text}]]` : `{{${text}}}`;
}

function quote(text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll('"', "#quot;").replaceAll("<", "&lt;").replaceAll(
    "\n",
    "<br>",
  );
  return `"${escaped}"`;
}
