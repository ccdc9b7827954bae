/** Takes a listener away again. */
export type Unsubscribe = () => void

/** The listeners of one event, called in the order in which they were added. */
export class Listeners<Args extends ReadonlyArray<unknown>> {
  readonly #listeners = new Set<{ readonly call: (...args: Args) => void }>()

  add(call: (...args: Args) => void): Unsubscribe {
    const listener = { call }
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  tell(...args: Args): void {
    for (const listener of Array.from(this.#listeners)) {
      try {
        listener.call(...args)
      } catch (error) {
        surface(error)
      }
    }
  }
}

/**
 * Gives the error of a game's own function to `window.onerror` or `uncaughtException`, so that it
 * neither is lost nor stops the other listeners or leaves a frame half applied.
 */
export const surface = (error: unknown): void => {
  queueMicrotask(() => {
    throw error
  })
}
