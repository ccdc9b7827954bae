import type { ServerResponse } from "node:http"

/** Hidden names are never published, so these are no files of a page. */
const scriptPath = "/.atrium/reload.js"
const eventsPath = "/.atrium/reload"

/**
 * Loads the page anew when its version is another one. One tab of all listens, and tells the others: a
 * browser has six connections to an address, and every tab is a player.
 */
const script = `{
  const shown = new URL(document.currentScript.src).searchParams.get("v")
  const tabs = new BroadcastChannel("atrium-reload")
  const see = (version) => {
    if (version !== shown) location.reload()
  }
  tabs.onmessage = ({ data }) => see(data)
  const listen = () =>
    new Promise(() => {
      new EventSource("${eventsPath}").onmessage = ({ data }) => {
        tabs.postMessage(data)
        see(data)
      }
    })
  if (navigator.locks === undefined) listen()
  else navigator.locks.request("atrium-reload", listen)
}
`

/** Tells the pages that are open when they are out of date. */
export interface LiveReload {
  /** An HTML page with the script that loads it anew. */
  readonly withScript: (html: Buffer) => Buffer
  /** Answers a request for the script or its events; `false` = it is for neither. */
  readonly answers: (path: string, response: ServerResponse) => boolean
  /** All pages that are open are out of date. */
  readonly changed: () => void
  readonly end: () => void
}

/** @param run an id of this run: pages that a run before has sent are out of date */
export const makeLiveReload = (run: string): LiveReload => {
  const listening = new Set<ServerResponse>()
  let changes = 0
  const version = (): string => `${run}.${changes}`
  const tell = (response: ServerResponse): void => {
    response.write(`data: ${version()}\n\n`)
  }
  return {
    withScript: (html) => {
      const tag = `<script src="${scriptPath}?v=${version()}"></script>`
      // Bytes stay as they are, whatever the page is encoded in.
      const text = html.toString("latin1")
      const at = text.search(/<\/body\s*>(?![^]*<\/body\s*>)/i)
      return Buffer.from(
        at === -1 ? text + tag : text.slice(0, at) + tag + text.slice(at),
        "latin1"
      )
    },
    answers: (path, response) => {
      if (path === scriptPath) {
        response.writeHead(200, { "content-type": "text/javascript; charset=utf-8" }).end(script)
        return true
      }
      if (path !== eventsPath) return false
      response.writeHead(200, { "content-type": "text/event-stream" })
      listening.add(response)
      response.on("close", () => listening.delete(response))
      tell(response)
      return true
    },
    changed: () => {
      changes += 1
      listening.forEach(tell)
    },
    end: () => listening.forEach((response) => response.end())
  }
}
