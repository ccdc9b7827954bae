import { SiteLimits } from "./SiteLimits.ts"

const { max } = SiteLimits.siteLabelChars

/** A DNS label in lower case. */
const labelForm = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/
/** `xn--` marks a name in another script, and the standard keeps all other such marks. Source: RFC 5891. */
const marked = /^..--/

/**
 * Labels that a visitor would take for the service's own, or that programs ask by themselves.
 * Source: C-356; RFC 2142.
 */
const reservedLabels: ReadonlySet<string> = new Set(
  `abuse account accounts admin administrator api app apps assets atrium auth autoconfig autodiscover
  billing broadcasthost cdn cli console dashboard docs ftp ftps health help hostmaster imap internal
  isatap local localdomain localhost login logout mail metrics mx ns ns1 ns2 oauth ping play pop pop3
  postmaster proxy root router sdk secure security service session sites smtp sso static status support
  system token webmail webmaster wpad ws www www1 www2`.split(/\s+/)
)

/** Why a text cannot be the label of a site, as one sentence; `null` = it can. */
export const labelFault = (label: string): string | null => {
  if (label.length < 1 || label.length > max || !labelForm.test(label)) {
    return `label: must be 1 to ${max} of a-z 0-9 and -, and no - at either end`
  }
  if (marked.test(label)) return "label: must have no -- as its third and fourth character"
  return reservedLabels.has(label) ? `label: ${label} is reserved` : null
}

/** The letters and digits of a name, as far as a label may have them, with one `-` for what is between them. */
const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")

const trimmed = (slug: string, chars: number): string => slug.slice(0, chars).replace(/-$/, "")

/**
 * The labels for the site of a project that has chosen none, the best first. The last ones hold digits of
 * the project's id, so that two projects of one name both get a site. Source: C-356.
 */
export const labelsFor = (project: {
  readonly projectId: string
  readonly name: string
}): ReadonlyArray<string> => {
  const slug = slugOf(project.name) || "site"
  const id = project.projectId.replace("p_", "")
  const suffixed = [id.slice(0, 6), id].map(
    (suffix) => `${trimmed(slug, max - 1 - suffix.length)}-${suffix}`
  )
  return [trimmed(slug, max), ...suffixed].filter((label) => labelFault(label) === null)
}
