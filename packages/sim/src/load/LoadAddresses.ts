import type { Endpoint } from "@atrium/sdk/client/Endpoint"

import { LoadLimits } from "./LoadLimits.ts"

const firstHost = 2
const hostsPerNet = 250

/**
 * The address that a player comes from: on this machine each for a few players, as limits of the service count
 * addresses, and players have one each. Linux alone answers on all of 127.0.0.0/8.
 *
 * @param player counts from 0
 * @returns `null` = the address that the system takes
 */
export const addressOf = (
  player: number,
  { local, ws }: Endpoint,
  platform: string
): string | null => {
  if (!local || platform !== "linux" || new URL(ws).hostname.startsWith("[")) return null
  const place = Math.floor(player / LoadLimits.playersOfAddress.max)
  const net = Math.floor(place / hostsPerNet)
  return `127.${77 + Math.floor(net / 256)}.${net % 256}.${firstHost + (place % hostsPerNet)}`
}
