/** Waits for conditions on what changes now and then, without looking in between. */
export class ConditionWait {
  #changed: () => void = () => {}

  /** Something may hold now that did not before. */
  changed(): void {
    this.#changed()
  }

  /** `false` when it does not hold within the time. */
  async until(holds: () => boolean, withinMs: number): Promise<boolean> {
    const deadline = performance.now() + withinMs
    while (!holds()) {
      const leftMs = deadline - performance.now()
      if (leftMs <= 0) return false
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs)
        this.#changed = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    return true
  }
}
