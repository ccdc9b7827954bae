import { connect } from "node:net"

import { Context } from "effect"

import type { LinkPoolParts } from "./LinkPool.ts"

const connectTo = (address: string) => {
  const colon = address.lastIndexOf(":")
  const [host, port] = [address.slice(0, colon), Number(address.slice(colon + 1))]
  return connect({ host, port, noDelay: true })
}

/** How this runner opens links to others. The simulation has its own, in virtual time. */
export const LinkConnector = Context.Reference<
  Pick<LinkPoolParts, "connect" | "afterTurn" | "versions">
>("@atrium/actors/link/LinkConnector", { defaultValue: () => ({ connect: connectTo }) })
