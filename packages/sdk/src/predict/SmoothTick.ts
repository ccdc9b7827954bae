/** A difference of so many ticks is made up at once. */
const JumpTicks = 30

/** The share by which a late moment goes faster, and an early one slower. */
const Pull = 0.1

/** A moment of the room's time that goes on evenly while the moment that it follows jumps. */
export class SmoothTick {
  /** `null` = it has not begun. */
  value: number | null = null

  /** @param passed ticks since the last time */
  follow(wanted: number, passed: number): number {
    const next = (this.value ?? wanted) + passed
    const late = wanted - next
    const most = Pull * passed
    this.value = Math.abs(late) > JumpTicks ? wanted : next + Math.max(-most, Math.min(most, late))
    return this.value
  }
}
