import { computed, signal } from "@preact/signals"

import { routeOf } from "./Routes.ts"

/** The address of the page: `/console/…`, and what stands behind `?`. */
export const place = signal({ path: location.pathname, query: location.search })

/** What the address shows. */
export const route = computed(() => routeOf(place.value.path))

/** A parameter of the address; `null` = it is not there. */
export const parameter = (name: string): string | null =>
  new URLSearchParams(place.value.query).get(name)

/** Goes to an address of the console, as a link does. */
export const go = (address: string, how: "push" | "replace" = "push"): void => {
  if (how === "push") history.pushState(null, "", address)
  else history.replaceState(null, "", address)
  arrived()
  if (how === "push") scrollTo(0, 0)
}

/** Sets parameters of this address; `null` takes one away. No secret may be among them. */
export const setParameters = (given: Readonly<Record<string, string | null>>): void => {
  const query = new URLSearchParams(place.value.query)
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === "") query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  go(place.value.path + (text === "" ? "" : `?${text}`), "replace")
}

const arrived = (): void => {
  place.value = { path: location.pathname, query: location.search }
}
addEventListener("popstate", arrived)
