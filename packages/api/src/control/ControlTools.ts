import { Context } from "effect"

import type { LiveWork } from "./LiveWork.ts"
import type { MovableClock } from "./MovableClock.ts"
import type { PressedServers } from "./PressedServers.ts"
import type { ServerFaults } from "./ServerFaults.ts"

/** The parts of a service in test mode that hooks act on. */
export class ControlTools extends Context.Service<
  ControlTools,
  {
    readonly clock: MovableClock
    readonly work: LiveWork
    readonly faults: ServerFaults
    readonly pressed: PressedServers
  }
>()("@atrium/api/control/ControlTools") {}
