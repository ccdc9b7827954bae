import { defaultSustainedBytes } from "@atrium/domain/meters/SustainedRate"
import { Context } from "effect"

/** Bytes a second that a server may send for ever, as the operator has configured it. Source: D-39, C-506. */
export const SustainedBytes = Context.Reference<number>("@atrium/actors/meters/SustainedBytes", {
  defaultValue: () => defaultSustainedBytes
})
