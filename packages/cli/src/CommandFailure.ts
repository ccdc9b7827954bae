import { Data, Effect } from "effect"

/** Codes of refusals that no edit of the room code can mend. */
const lasting: ReadonlySet<string> = new Set(["E_UNAUTHENTICATED", "E_NOT_FOUND", "E_DEV_HELD"])

/** The service, or the room code itself, does not allow it. Exit code 1. Source: D-41. */
export class Refused extends Data.TaggedError("Refused")<{
  /** `E_…`; none when nothing answered. */
  readonly code: string | null
  readonly text: string
  /** When the service wants to be asked again. */
  readonly retryAfterMs?: number
  /** Nothing has answered: the same call may succeed at once. */
  readonly unanswered?: boolean
  /** What the service says beside code and message. Nobody has checked it. */
  readonly details?: Readonly<Record<string, unknown>>
}> {
  override get message(): string {
    return this.code === null ? this.text : `${this.code}: ${this.text}`
  }

  /** The same, with a line about what to do. */
  withHint(hint: string): Refused {
    const { code, text, retryAfterMs } = this
    const after = retryAfterMs === undefined ? {} : { retryAfterMs }
    const unanswered = this.unanswered === true ? { unanswered: true } : {}
    return new Refused({ code, text: `${text}\n${hint}`, ...after, ...unanswered })
  }

  /** The same command is refused again, whatever the room code says. */
  get lasting(): boolean {
    return this.code !== null && lasting.has(this.code)
  }
}

/** The command line, the environment or a file of the project is at fault. Exit code 2. Source: D-41. */
export class Misused extends Data.TaggedError("Misused")<{ readonly message: string }> {}

/** A program that the command started has ended, and has said why. */
export class ProgramEnded extends Data.TaggedError("ProgramEnded")<{ readonly exitCode: number }> {}

/** A failure of a command that is no fault of the tool: shown in one piece, without a stack. */
export type CommandFailure = Refused | Misused

/** Adds to the refusals with one code what to do about them. */
export const hinted =
  (code: string, hint: string) =>
  <A, R>(effect: Effect.Effect<A, CommandFailure, R>): Effect.Effect<A, CommandFailure, R> =>
    Effect.mapError(effect, (failure) =>
      failure._tag === "Refused" && failure.code === code ? failure.withHint(hint) : failure
    )
