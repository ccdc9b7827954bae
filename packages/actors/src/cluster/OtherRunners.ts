import { NotReady } from "@atrium/domain/shared/Refusal"
import { Context, Effect } from "effect"

/** Another runner of the service that lives now. */
export interface OtherRunner {
  readonly address: string
  /** The address of its link; `null` = the runner has not told it: it is starting, or too old to tell it. */
  readonly link: string | null
  /** The newest version of the runners' protocol that it speaks. */
  readonly newestProtocol: number
}

/** The other runners of the service. A runner that is alone has none, and asks nobody. A failing store is a defect. */
export const OtherRunners = Context.Reference<{
  /** Whether there may be others. */
  readonly several: boolean
  readonly living: Effect.Effect<ReadonlyArray<OtherRunner>>
}>("@atrium/actors/cluster/OtherRunners", {
  defaultValue: () => ({ several: false, living: Effect.succeed([]) })
})

/** Whether a runner lives that speaks only protocols older than a version. */
export const livesBefore = (
  others: (typeof OtherRunners)["Service"],
  version: number
): Effect.Effect<boolean> =>
  others.several
    ? Effect.map(others.living, (living) =>
        living.some(({ newestProtocol }) => newestProtocol < version)
      )
    : Effect.succeed(false)

/** Refuses a request whose effect a runner of the version before would not respect. */
export const oldRunner = new NotReady({
  message: "a runner of the service is of an older version; try again when it is replaced"
})
