import type { Trial } from "../trial/Trial.ts"

export interface HeldClock {
  readonly control: Pick<Trial["control"], "advance" | "hold">
}

/**
 * Runs while time stands but for what the check moves. Whatever becomes of it, the clock runs again
 * after it; before that, time that gives back what was spent has passed, as others ask next.
 */
export const onHeldClock = async (
  { control }: HeldClock,
  givenBackAfterMs: number,
  run: () => Promise<void>
): Promise<void> => {
  await control.hold(true)
  try {
    await run()
  } finally {
    try {
      await control.advance(givenBackAfterMs)
    } finally {
      await control.hold(false)
    }
  }
}
