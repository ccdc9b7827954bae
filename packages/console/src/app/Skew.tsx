import { effect, signal } from "@preact/signals"

import { servedVersion } from "../service/Service.ts"

const ofPage = (name: string): string =>
  document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? ""

const version = ofPage("atrium-version")
const build = ofPage("atrium-build")

/** A part of this page has failed, and the service has another build. */
const failed = signal(false)

/**
 * The other version that a runner of the service has; `null` = none was seen. Behind a balancer answers of two versions
 * take turns, and the notice stays.
 */
const otherVersion = signal<string | null>(null)
effect(() => {
  const served = servedVersion.value
  if (served !== null && served !== version) otherVersion.value = served
})

/** The page was loaded anew for this build already: once more would go round in circles. */
const reloadedFor = "atrium-reloaded"

/**
 * A page's script is not there, or what it read has another form. Where the service has another build by
 * now, the page is loaded anew, once. Source: C-766.
 */
export const pageFailed = (error: unknown): void => {
  void fetch("/console", { headers: { "x-atrium-page": "console" } })
    .then((answer) => answer.text())
    .then((html) => {
      const served = /name="atrium-build" content="([0-9a-f]+)"/.exec(html)?.[1] ?? build
      if (served === build) return
      failed.value = true
      if (sessionStorage.getItem(reloadedFor) === build) return
      sessionStorage.setItem(reloadedFor, build)
      location.reload()
    })
    .catch(() => undefined)
  reportError(error)
}

/** Says that the service and this page are of two versions. */
export const SkewNotice = () =>
  (failed.value || otherVersion.value !== null) && (
    <div class="notice" role="status">
      <p>
        The service has another version than this page
        {otherVersion.value === null ? "" : ` (${otherVersion.value}, this page is ${version})`}.
        What both know is shown; what you have typed stays until you reload.
      </p>
      <button type="button" class="quiet" onClick={() => location.reload()}>
        Reload
      </button>
    </div>
  )
