import type { LinkFigures } from "@atrium/actors/link/LinkPool"
import type { Links } from "@atrium/actors/link/Links"

import type { ReadMetric } from "./ReadMetrics.ts"

const rows = {
  open: ["gauge", "atrium_links", "Links to and from other runners that are open here"],
  forwarded: [
    "gauge",
    "atrium_forwarded_clients",
    "Clients of this runner in rooms of other runners"
  ],
  lost: ["counter", "atrium_links_lost_total", "Links to and from other runners that were lost"],
  refused: [
    "counter",
    "atrium_links_refused_total",
    "Connections to the link that did not prove the master key"
  ],
  framesIn: ["counter", "atrium_link_frames_in_total", "Frames that came over links"],
  framesOut: ["counter", "atrium_link_frames_out_total", "Frames that went over links"],
  bytesIn: ["counter", "atrium_link_bytes_in_total", "Bytes that came over links"],
  bytesOut: ["counter", "atrium_link_bytes_out_total", "Bytes that went over links"]
} as const satisfies Record<keyof LinkFigures, readonly ["gauge" | "counter", string, string]>

/** What passes the links of this runner. */
export const linkRows = ({ figures }: Links["Service"]): ReadonlyArray<ReadMetric> => {
  // The keys of the table above.
  const names = Object.keys(rows) as ReadonlyArray<keyof LinkFigures>
  return names.map((figure) => {
    const [kind, name, says] = rows[figure]
    return { kind, name, says, read: () => figures()[figure] }
  })
}
