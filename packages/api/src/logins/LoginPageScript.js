const $ = (id) => document.getElementById(id)
const sections = ["start", "welcome", "ask", "device", "done"]
let account = null
const query = new URLSearchParams(location.search)
let userCode = query.get("code")
/** The page of the console that sent its reader here. No address elsewhere is taken. */
const next = /^\/console(?:[/?]|$)/.test(query.get("next") ?? "") ? query.get("next") : null

/** One section at a time; everything that is shown is text, never markup. */
const show = (section) => {
  for (const id of sections) $(id).hidden = id !== section
  $("fault").hidden = true
  $("who").hidden = account === null
  $("name").textContent = account === null ? "" : account.name
  $(section).querySelector("input")?.focus()
}

const tell = (message) => {
  $("fault").textContent = message
  $("fault").hidden = false
}

const call = async (method, path, body) => {
  const answer = await fetch(path, {
    method,
    headers: {
      "x-atrium-page": "login",
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await answer.text()
  return { status: answer.status, ok: answer.ok, body: text === "" ? null : JSON.parse(text) }
}

/** Runs one thing at a time: a second click does nothing until the first is answered. */
let busy = false
const on = (id, event, run) =>
  $(id).addEventListener(event, async (happened) => {
    happened.preventDefault()
    if (busy) return
    busy = true
    try {
      await run()
    } catch {
      tell("The service does not answer. Try again.")
    }
    busy = false
  })

const refused = ({ status, body }) => {
  if (status === 401 && account !== null) {
    account = null
    show("start")
    return tell("You are logged out. Log in again.")
  }
  tell(body?.error?.message ?? `The service answered ${status}.`)
}

const enter = async () => {
  const me = await call("GET", "/v1/me")
  account = me.ok ? me.body : null
  if (account === null) return show("start")
  if (next !== null) return location.replace(next)
  return userCode === null ? show("ask") : look()
}

const look = async () => {
  const device = await call("GET", `/v1/login/device/${encodeURIComponent(userCode)}`)
  if (device.ok) {
    $("shown-code").textContent = device.body.userCode
    $("label").textContent = device.body.label
    $("as").textContent = account.name
    return show("device")
  }
  $("code").value = userCode
  show("ask")
  const unknown = "No login with this code waits. Codes are good for ten minutes, and once."
  return device.status === 404 ? tell(unknown) : refused(device)
}

const decide = async (allow) => {
  const answer = await call("POST", "/v1/login/approve", { userCode, allow })
  if (!answer.ok) return refused(answer)
  $("outcome").textContent = allow ? "The device is logged in" : "The login was denied"
  $("next").textContent = allow
    ? `${answer.body.label} goes on by itself within seconds. You can close this page.`
    : `${answer.body.label} got nothing. You can close this page.`
  return show("done")
}

const logIn = async (token) => {
  const session = await call("POST", "/v1/login/session", { token })
  if (session.ok) return enter()
  return session.status === 401 ? tell("This is no valid login token.") : refused(session)
}

on("by-token", "submit", async () => {
  await logIn($("token").value.trim())
  if (account !== null) $("token").value = ""
})

on("by-invitation", "submit", async () => {
  const code = $("invitation").value.trim()
  const made = await call("POST", "/v1/login/invitation", { code, name: $("account").value.trim() })
  if (!made.ok) return refused(made)
  $("first-token").textContent = made.body.token
  return show("welcome")
})

on("copy", "click", async () => {
  try {
    await navigator.clipboard.writeText($("first-token").textContent)
    $("copy").textContent = "Copied"
  } catch {
    // Browsers let pages copy over https and on this machine only.
    getSelection().selectAllChildren($("first-token"))
    tell("This browser does not let the page copy. The token is selected: copy it by hand.")
  }
})

on("kept", "click", async () => {
  await logIn($("first-token").textContent)
  if (account !== null) $("first-token").textContent = ""
})

on("by-code", "submit", () => {
  userCode = $("code").value
  return look()
})

on("allow", "click", () => decide(true))
on("deny", "click", () => decide(false))

on("logout", "click", async () => {
  await call("POST", "/v1/login/logout")
  account = null
  show("start")
})

enter().catch(() => tell("The service does not answer. Reload the page."))
