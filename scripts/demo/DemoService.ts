/** The service that the demo plays on. */
export interface DemoService {
  readonly url: string
  readonly project: string
  /** How it was found, for the screen. */
  readonly origin: string
}

/** Why the demo could not be shown: a sentence for the person at the terminal. */
export class DemoError extends Error {
  override readonly name = "DemoError"
}
