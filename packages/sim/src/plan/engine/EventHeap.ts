/** What happens at a moment: a number for the kind, and a number for whom. */
export interface HeapEvent {
  readonly atMs: number
  readonly kind: number
  readonly subject: number
}

/** Events by their moment; of two at one moment, always the same one of two equal histories. */
export class EventHeap {
  #atMs = new Float64Array(1024)
  #kind = new Uint8Array(1024)
  #subject = new Int32Array(1024)
  #size = 0

  /** Moment of the first event; `Infinity` = there is none. */
  get nextAtMs(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#atMs[0] ?? 0)
  }

  push({ atMs, kind, subject }: HeapEvent): void {
    if (this.#size === this.#atMs.length) this.#grow()
    let at = this.#size++
    while (at > 0) {
      const parent = (at - 1) >> 1
      if ((this.#atMs[parent] ?? 0) <= atMs) break
      this.#move(parent, at)
      at = parent
    }
    this.#set(at, { atMs, kind, subject })
  }

  /** Takes the first event; there must be one. */
  pop(): HeapEvent {
    const first = this.#get(0)
    const last = this.#get(--this.#size)
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= this.#size) break
      const other = child + 1
      if (other < this.#size && (this.#atMs[other] ?? 0) < (this.#atMs[child] ?? 0)) child = other
      if ((this.#atMs[child] ?? 0) >= last.atMs) break
      this.#move(child, at)
      at = child
    }
    this.#set(at, last)
    return first
  }

  #get(at: number): HeapEvent {
    return {
      atMs: this.#atMs[at] ?? 0,
      kind: this.#kind[at] ?? 0,
      subject: this.#subject[at] ?? 0
    }
  }

  #set(at: number, { atMs, kind, subject }: HeapEvent): void {
    this.#atMs[at] = atMs
    this.#kind[at] = kind
    this.#subject[at] = subject
  }

  #move(from: number, to: number): void {
    this.#atMs[to] = this.#atMs[from] ?? 0
    this.#kind[to] = this.#kind[from] ?? 0
    this.#subject[to] = this.#subject[from] ?? 0
  }

  #grow(): void {
    const size = this.#atMs.length * 2
    this.#atMs = grown(this.#atMs, new Float64Array(size))
    this.#kind = grown(this.#kind, new Uint8Array(size))
    this.#subject = grown(this.#subject, new Int32Array(size))
  }
}

/** The longer array with what the shorter one had. */
export const grown = <Numbers extends Float64Array | Int32Array | Uint8Array>(
  from: Numbers,
  to: Numbers
): Numbers => {
  to.set(from)
  return to
}
