import { computed, useSignal, useSignalEffect } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"

import { loggedIn } from "../service/Service.ts"
import { plainText } from "../text/ShownText.ts"
import { projectName, readAccount } from "./Account.ts"
import { place, route } from "./Location.ts"
import { Mark, Menu } from "./Menu.tsx"
import { Page } from "./Page.tsx"
import { accountTitles, pageTitles, type Route } from "./Routes.ts"
import { SkewNotice } from "./Skew.tsx"

/** The login page leads back to the address that was opened. */
const loginAddress = computed(
  () => `/login?next=${encodeURIComponent(place.value.path + place.value.query)}`
)

/** The whole console. */
export const App = () => {
  const open = useSignal(false)
  const began = useSignal(false)
  useEffect(() => {
    void readAccount().then(() => (began.value = true))
  }, [])
  useEffect(() => {
    open.value = false
  }, [route.value])
  useNamedPage()
  if (loggedIn.value === false && !began.value) {
    location.replace(loginAddress.value)
    return null
  }
  return (
    <>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <div class="bar">
        <Mark />
        <button
          type="button"
          class="quiet"
          aria-expanded={open.value}
          aria-controls="menu"
          onClick={() => (open.value = !open.value)}
        >
          Menu
        </button>
      </div>
      <div class="shell">
        <Menu open={open.value} />
        <main id="main" class="page" tabIndex={-1}>
          <div class="page-inner">
            <SkewNotice />
            {loggedIn.value === false && began.value && <LoggedOut />}
            <Page route={route.value} />
          </div>
        </main>
      </div>
    </>
  )
}

/** The page that is shown, whatever its parameters are. */
const address = computed(() => place.value.path)

/** Names each page for tabs and the history, and moves the focus to a page that a link has opened. */
const useNamedPage = (): void => {
  const opened = useRef(address.peek())
  useSignalEffect(() => {
    document.title = plainText(titleOf(route.value), 300)
  })
  useEffect(() => {
    if (opened.current === address.value) return
    opened.current = address.value
    document.getElementById("main")?.focus({ preventScroll: true })
  }, [address.value])
}

const titleOf = (shown: Route): string => {
  switch (shown._tag) {
    case "Projects":
      return "Projects · Atrium"
    case "Account":
      return `${accountTitles[shown.page]} · Atrium`
    case "Project":
      return `${pageTitles[shown.page]} · ${projectName(shown.project)} · Atrium`
    case "Room":
      return `${shown.room} · ${projectName(shown.project)} · Atrium`
    case "Saves":
      return `Saves of ${shown.room} · ${projectName(shown.project)} · Atrium`
    case "Unknown":
      return "No such page · Atrium"
  }
}

/** A session that has ended takes nothing from the page: what was typed stays. */
const LoggedOut = () => (
  <div class="notice" role="alert">
    <p>You are logged out. What you have typed is still here.</p>
    <a class="button" href={loginAddress.value} target="_blank" rel="noreferrer">
      Log in in a new tab
    </a>
    <button type="button" class="quiet" onClick={() => void readAccount()}>
      I have logged in
    </button>
  </div>
)
