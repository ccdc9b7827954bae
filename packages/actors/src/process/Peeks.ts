/** Request ids of looks begin beyond all request ids of snapshots. */
const firstPeek = 0x8000_0000

/** The answer to a look at a state that is too large. */
export const noState = new Uint8Array(0)

export const isPeek = (requestId: number): boolean => requestId >= firstPeek

/** Looks at the state of one process. A look that comes while another is under way shares its answer. */
export class Peeks {
  readonly #request: (requestId: number) => void
  #asked = firstPeek
  #waiting: Array<(state: Uint8Array | null) => void> = []
  #isGone = false

  constructor(request: (requestId: number) => void) {
    this.#request = request
  }

  /** @param then called once, with `null` where no state comes */
  ask(then: (state: Uint8Array | null) => void): void {
    if (this.#isGone) return then(null)
    this.#waiting.push(then)
    if (this.#waiting.length > 1) return
    this.#asked = this.#asked === 0xffff_ffff ? firstPeek : this.#asked + 1
    this.#request(this.#asked)
  }

  /** A state came. @param state empty = it is too large @returns whether it was asked for here */
  came(requestId: number, state: Uint8Array): boolean {
    if (!isPeek(requestId)) return false
    if (requestId === this.#asked) this.#answer(state.length === 0 ? null : state)
    return true
  }

  /** The process has ended. */
  gone(): void {
    this.#isGone = true
    this.#answer(null)
  }

  #answer(state: Uint8Array | null): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const then of waiting) then(state)
  }
}
