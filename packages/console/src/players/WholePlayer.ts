import type { PlayerExport } from "@atrium/domain/accounts/PlayersApi"
import { type WholeExport, wholeExport } from "@atrium/domain/accounts/WholeExport"

import { ask, ownRefusal, type Refusal } from "../service/Service.ts"

/** Signs of JSON that a page joins: a browser holds them several times. */
const exportCharsMax = 33_554_432

/** Reads all pages of a player's export. @param path of the player */
export const readWhole = async (path: string, player: string): Promise<WholeExport | Refusal> => {
  const pages: Array<PlayerExport> = []
  let chars = 0
  let next: string | null = null
  do {
    const query: string = next === null ? "" : `?after=${encodeURIComponent(next)}`
    const answer = await ask<PlayerExport>({ path: `${path}/export${query}` })
    if (answer._tag === "Refused") return answer
    chars += JSON.stringify(answer.value).length
    if (chars > exportCharsMax) return tooMuch
    pages.push(answer.value)
    next = answer.value.next
  } while (next !== null)
  return wholeExport(player, pages)
}

const tooMuch = ownRefusal({
  code: "too much",
  message:
    "More is kept of this player than a page can join. Ask in a terminal: atrium players export"
})

/** The name of the file; ids of players are free text. */
export const fileNameOf = (player: string): string =>
  `player-${player.replaceAll(/[^\w-]+/g, "_").slice(0, 64)}.json`

/** Lets the browser keep a text as a file. */
export const keepFile = (name: string, text: string): void => {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }))
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
