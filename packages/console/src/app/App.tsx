import { computed, useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"

import { loggedIn } from "../service/Service.ts"
import { readAccount } from "./Account.ts"
import { place, route } from "./Location.ts"
import { Mark, Menu } from "./Menu.tsx"
import { Page } from "./Page.tsx"
import { SkewNotice } from "./Skew.tsx"

/** What the page was opened for comes back after the login. */
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
