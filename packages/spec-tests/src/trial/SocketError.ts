import { Mismatch } from "../check/Expect.ts"

export interface SocketError {
  readonly code: string
  readonly message: string
}

/** A call that the room or the service refused. */
export class CallRefused extends Mismatch {
  readonly code: string
  constructor(name: string, refusal: SocketError) {
    super(`the call ${name}`, {
      expected: "an answer",
      actual: `${refusal.code}: ${refusal.message}`
    })
    this.code = refusal.code
  }
}
