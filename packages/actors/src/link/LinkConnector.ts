import { connect } from "node:net"

import { hostPortOf } from "@atrium/domain/shared/HostPort"
import { Context } from "effect"

import type { LinkPoolParts } from "./LinkPool.ts"

const connectTo = (address: string) => connect({ ...hostPortOf(address), noDelay: true })

/** How this runner opens links to others. The simulation has its own, in virtual time. */
export const LinkConnector = Context.Reference<
  Pick<LinkPoolParts, "connect" | "afterTurn" | "versions">
>("@atrium/actors/link/LinkConnector", { defaultValue: () => ({ connect: connectTo }) })
