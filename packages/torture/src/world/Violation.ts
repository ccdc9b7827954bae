/** A broken promise: a state that must never be, and was. */
export class Violation extends Error {
  readonly rule: string

  constructor(rule: string, message: string) {
    super(message)
    this.rule = rule
  }
}
