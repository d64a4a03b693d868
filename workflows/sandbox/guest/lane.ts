/** Steps that wait for their turn: no more are open at a time than the parent lets a sandbox have. */

/** A step as a lane sees it. */
export interface Waiting {
  /** Its message; nothing while it is being made. */
  readonly text?: string;
}

/** Steps of one sort, opened in the order in which they were added. */
export class Lane<Step extends Waiting> {
  readonly #waiting: Step[] = [];
  readonly #openStep: (step: Step, text: string) => boolean;
  readonly #maxOpen: number;
  readonly #maxCharacters: number;
  #open = 0;
  #characters = 0;

  /** A lane that opens steps by this function, which tells whether it did. */
  constructor(maxOpen: number, maxCharacters: number, openStep: (step: Step, text: string) => boolean) {
    this.#maxOpen = maxOpen;
    this.#maxCharacters = maxCharacters;
    this.#openStep = openStep;
  }

  /** Whether nothing is open and nothing waits. */
  get isEmpty(): boolean {
    return this.#open === 0 && this.#waiting.length === 0;
  }

  /** Opens a step when it is its turn. */
  add(step: Step): void {
    this.#waiting.push(step);
    this.proceed();
  }

  /** Forgets a step that waits. */
  remove(step: Step): void {
    const place = this.#waiting.indexOf(step);
    if (place >= 0) this.#waiting.splice(place, 1);
    this.proceed();
  }

  /** Makes room: this step is no longer open. */
  done({ text = "" }: Step): void {
    this.#open--;
    this.#characters -= text.length;
    this.proceed();
  }

  /** Opens as many as there is room for. */
  proceed(): void {
    for (let step = this.#waiting[0]; step?.text !== undefined; step = this.#waiting[0]) {
      const { text } = step;
      const isMuch = this.#open > 0 && this.#characters + text.length > this.#maxCharacters;
      if (this.#open >= this.#maxOpen || isMuch) return;
      this.#waiting.shift();
      if (!this.#openStep(step, text)) continue;
      this.#open++;
      this.#characters += text.length;
    }
  }
}
