/** Writes life cycles as a Mermaid flowchart. */
import type { Follower, LifeCycle, ProcessGroup, StageGroup, StepNode } from "./life_cycle.ts";

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
      ...processes.flatMap((process) => this.#drawProcess(process)),
      ...(processes.every(({ steps }) => steps.length === 0) ? [`    ${this.#identify(`empty ${id}`)}[" "]`] : []),
      "  end",
    ]);
    const [first] = stages;
    if (first) this.#connectToStage(start, first.id);
    for (const stage of stages) {
      const regular = listRegular(stage);
      for (const process of stage.processes) {
        process.steps.forEach((step, index) => {
          const from = this.#identify(step.id);
          const next = process.steps[index + 1];
          if (step.continues && next) this.#connect(from, this.#identify(next.id));
          if (step.ends && !process.optional) {
            this.#connectToNext(from, regular.slice(regular.indexOf(process) + 1), stage.exit);
          }
          for (const jump of step.jumps) this.#connectTo(from, jump);
        });
      }
      if (stage.exit && regular.length === 0) this.#connectTo(this.#findEntry(stage), stage.exit);
    }
    const actions = moves.map(({ name, to }, index) => {
      const action = `${this.#prefix}move${index}`;
      this.#connectTo(action, to);
      return `  ${action}[/${quote(name)}/]`;
    });
    const ends = Array.from(this.#ends, ([status, id]) => `  ${id}([${quote(status)}])`);
    return [`  ${start}([${quote(name)}])`, ...groups, ...actions, ...ends, ...this.#edges];
  }

  /** Draws the steps of a process. A box around them tells the condition of an optional process. */
  #drawProcess({ name, condition, optional, steps }: ProcessGroup): string[] {
    const nodes = steps.map((step) => `    ${this.#identify(step.id)}${draw(step)}`);
    const [first] = steps;
    if (!optional || condition === undefined || first === undefined) return nodes;
    const title = quote(`${name} (optional)\nif ${condition}`);
    return [`    subgraph ${this.#identify(`process ${first.id}`)}[${title}]`, ...nodes, "    end"];
  }

  #connectTo(from: string, { kind, target, label }: Follower): void {
    if (kind === "stage") this.#connectToStage(from, target, label);
    else this.#connect(from, kind === "status" ? this.#end(target) : this.#identify(target), label);
  }

  /** Connects a node to the processes with which a stage can begin. */
  #connectToStage(from: string, id: string, label?: string): void {
    const stage = this.#lifeCycle.stages.find((one) => one.id === id);
    if (stage === undefined) return;
    const regular = listRegular(stage);
    if (regular.length === 0) this.#connect(from, this.#findEntry(stage), label);
    else this.#connectToNext(from, regular, stage.exit, label);
  }

  /** Connects a node to each process up to the first that has no condition. If all have one, the stage may end. */
  #connectToNext(from: string, processes: readonly ProcessGroup[], exit: Follower | undefined, label?: string): void {
    for (const { condition, steps: [first] } of processes) {
      if (first !== undefined) this.#connect(from, this.#identify(first.id), joinLabels(label, condition));
      if (condition === undefined) return;
    }
    if (exit !== undefined) this.#connectTo(from, { ...exit, label: joinLabels(label, exit.label) });
  }

  #connect(from: string, to: string, label?: string): void {
    this.#edges.push(`  ${from} -->${label === undefined ? "" : `|${quote(label)}|`} ${to}`);
  }

  /** Returns the first step of a stage in which no process runs by itself. */
  #findEntry({ id, processes }: StageGroup): string {
    return this.#identify(processes[0]?.steps[0]?.id ?? `empty ${id}`);
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

function listRegular({ processes }: StageGroup): ProcessGroup[] {
  return processes.filter(({ optional }) => !optional);
}

function joinLabels(...labels: (string | undefined)[]): string | undefined {
  return labels.filter((label) => label !== undefined).join(": ") || undefined;
}

function draw({ name, details, kind }: StepNode): string {
  const text = quote([name, ...details].join("\n"));
  return kind === "assignment" ? `[${text}]` : kind === "child" ? `[[${text}]]` : `{{${text}}}`;
}

function quote(text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll('"', "#quot;").replaceAll("<", "&lt;").replaceAll(
    "\n",
    "<br>",
  );
  return `"${escaped}"`;
}
