import type { LaggedPlay } from "./LaggedPlay.ts"

/** With prediction, and where the last state that came is drawn. */
interface Compared {
  readonly predicted: number
  readonly without: number
}

/** What a player sees of a play. Errors are mean units. */
export interface PlaySummary {
  /** How far the own ball is drawn from where the room has it when an input of now arrives. */
  readonly own: Compared
  /** The same of all other balls. */
  readonly others: Compared
  /** Without a prediction there is nothing to correct. */
  readonly correctionsPerSecond: number
}

type Drawn = "drawn" | "state"

/** The error of each frame for one ball. */
export const errorsOf = (
  { frames, truth }: Pick<LaggedPlay, "frames" | "truth">,
  of: { readonly id: number; readonly by: Drawn }
): ReadonlyArray<number> =>
  frames.flatMap((frame) => {
    const [at, is] = [frame[of.by].get(of.id), truth(of.id, frame.moment)]
    return at === undefined || is === undefined ? [] : Math.hypot(at.x - is.x, at.z - is.z)
  })

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

export const summaryOf = (play: LaggedPlay): PlaySummary => {
  const others = [...(play.frames[0]?.state.keys() ?? [])].filter((id) => id !== play.own)
  const compared = (ids: ReadonlyArray<number>): Compared => {
    const by = (drawn: Drawn): number =>
      mean(ids.flatMap((id) => errorsOf(play, { id, by: drawn })))
    return { predicted: by("drawn"), without: by("state") }
  }
  return {
    own: compared([play.own]),
    others: compared(others),
    correctionsPerSecond: play.corrections / play.seconds
  }
}
