import type { ProjectId } from "@atrium/domain/Ids"
import { IsoText } from "@atrium/domain/IsoText"
import { Limits } from "@atrium/domain/Limits"
import { deletesAtMs, type Retention, retentionInForce } from "@atrium/domain/Retention"

/** Fields of a row, in the order in which a line has them. */
export const LineFields = [
  ...["room_id", "status", "slot", "last_seen_ms", "clients", "max_clients", "backfill"],
  ...["retention_override", "type"]
] as const

/**
 * The rows of a list, from plain text: a line for each room, its fields parted by tabs. A long list
 * is made into JSON page by page, so that nobody waits for all of it. Source: D-04, D-07.
 */
export class RoomList {
  readonly #lines: string
  readonly #project: string
  readonly #declared: ReadonlyMap<string, string | null>
  /** Few types and few overrides make few windows. */
  readonly #windows = new Map<string, Window>()
  readonly #seen = new IsoText()
  readonly #deleted = new IsoText()

  /** @param declared how long each type that the project has deployed keeps its rooms */
  constructor(
    lines: string,
    of: { readonly projectId: ProjectId; readonly declared: ReadonlyMap<string, string | null> }
  ) {
    this.#lines = lines
    this.#project = of.projectId
    this.#declared = of.declared
  }

  /** The lines of `Limits.listPage` rows each, to be made into JSON one after another. */
  *pages(): Generator<string, void, undefined> {
    const lines = this.#lines
    let from = 0
    let rows = 0
    for (let end = lines.indexOf("\n"); end !== -1; end = lines.indexOf("\n", end + 1)) {
      if (++rows % Limits.listPage.max !== 0) continue
      yield lines.slice(from, end)
      from = end + 1
    }
    if (lines !== "") yield lines.slice(from)
  }

  /** The rows of a page as JSON, without the brackets of an array. */
  json(page: string): string {
    return page
      .split("\n")
      .map((line) => this.#row(line))
      .join(",")
  }

  /** Nothing in a row needs escaping: ids, words and durations are of a few characters. */
  #row(line: string): string {
    const [roomId = "", status = "", slot = "", seen = "", ...rest] = line.split("\t")
    const [clients = "", maxClients = "", backfill = "", override = "", type = ""] = rest
    const lastSeenMs = Number(seen)
    const window = this.#window(override, type)
    const deletesAt = deletesAtMs(window.retention, lastSeenMs)
    const deleted = deletesAt === null ? "null" : `"${this.#deleted.of(deletesAt)}"`
    return (
      `{"project":"${this.#project}","roomId":"${roomId}","status":"${status}","slot":${slot},` +
      `"lastSeen":"${this.#seen.of(lastSeenMs)}","clients":${clients},"maxClients":${maxClients},` +
      `"backfill":${backfill},${window.json},"deletesAt":${deleted}}`
    )
  }

  #window(override: string, type: string): Window {
    const name = `${override} ${type}`
    const known = this.#windows.get(name)
    if (known !== undefined) return known
    const retention = retentionInForce({
      override: override === "" ? null : override,
      declared: this.#declared.get(type) ?? null
    })
    const { retention: inForce, retentionOverride } = retention
    const json = JSON.stringify({ retention: inForce, retentionOverride }).slice(1, -1)
    const window = { retention, json }
    this.#windows.set(name, window)
    return window
  }
}

interface Window {
  readonly retention: Retention
  /** Both fields of a row that tell of it. */
  readonly json: string
}
