import { Client } from "@atrium/sdk/client"

import { counter } from "./schema.ts"

const element = <E extends Element>(id: string, kind: new () => E): E => {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`the page has no ${id}`)
}

/** What index.html says in its `<meta>`; the build writes the service and the project there. */
const setting = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="atrium-${name}"]`)?.content ?? ""

const notice = element("notice", HTMLParagraphElement)
const press = element("press", HTMLButtonElement)
element("second", HTMLAnchorElement).href = location.href

// Every tab is a player of its own.
const client = new Client(setting("service") || location.origin, {
  project: setting("project") || "dev",
  identity: "tab"
})
const room = await client.joinOrCreate(counter).catch((error: unknown) => {
  notice.textContent = error instanceof Error ? error.message : String(error)
  throw error
})
notice.textContent = ""

const show = (): void => {
  element("presses", HTMLOutputElement).value = String(room.state.counter.presses)
}
room.onStateChange(show)
show()
press.disabled = false
press.addEventListener("click", () => room.send("press", {}))

room.onDrop(() => (notice.textContent = "The connection is gone. Trying again …"))
room.onReconnect(() => (notice.textContent = ""))
room.onLeave((_code, reason) => (notice.textContent = `You have left the room: ${reason}`))
