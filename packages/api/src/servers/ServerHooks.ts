import { Effect, Schema } from "effect"

import { ControlTools } from "../control/ControlTools.ts"
import { type Hooks, verb } from "../control/Hook.ts"
import type { ServerFaults } from "../control/ServerFaults.ts"

export const ServerId = Schema.String.check(Schema.isPattern(/^srv_[0-9a-f]{12}$/))

const Server = Schema.Struct({ server: ServerId })

const hooksOf = (faults: ServerFaults): Hooks => {
  const deed = (perform: (serverId: string) => void) =>
    verb(Server, ({ server }) =>
      Effect.sync(() => {
        perform(server)
        return { server: faults.view(server) }
      })
    )
  return {
    "servers/list": verb(Schema.Struct({ project: Schema.String }), ({ project }) =>
      Effect.sync(() => ({ servers: faults.list(project) }))
    ),
    "servers/pause": deed((server) => faults.pause(server)),
    "servers/resume": deed((server) => faults.resume(server)),
    "servers/kill": deed((server) => faults.kill(server)),
    "servers/isolate": deed((server) => faults.isolate(server))
  }
}

/** Plays the faults of servers. */
export const hooks = Effect.map(ControlTools, ({ faults }) => hooksOf(faults))
