/** Where the bytes of objects are: in their rows, or in an S3. */
export const ObjectPlaces = ["postgres", "s3"] as const
export type ObjectPlace = (typeof ObjectPlaces)[number]

/** A bucket, and the beginning of all names in it. */
export interface ObjectsAddress {
  /** `https://s3.example.com` */
  readonly origin: string
  readonly bucket: string
  /** Empty, or it ends with a slash. */
  readonly prefix: string
}

/** Nothing in the names of buckets and folders is encoded in a path: every program that speaks S3 reads them alike. */
const isBucket = (name: string): boolean =>
  name.length >= 3 &&
  name.length <= 63 &&
  /^[a-z0-9][a-z0-9.-]*$/.test(name) &&
  /[a-z0-9]$/.test(name)
const isFolder = (name: string): boolean =>
  name.length <= 100 && /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name)

const foldersMax = 8

/**
 * Reads `https://host/bucket` or `https://host/bucket/some/prefix`. `null` = it is neither. The bucket is always part
 * of the path, which every program that speaks S3 takes. Source: C-466.
 */
export const readObjectsUrl = (text: string): ObjectsAddress | null => {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  const { protocol, username, password, search, hash, pathname, origin } = url
  if (protocol !== "https:" && protocol !== "http:") return null
  if (username !== "" || password !== "" || search !== "" || hash !== "") return null
  const whole = pathname.endsWith("/") ? pathname.slice(1, -1) : pathname.slice(1)
  const [bucket = "", ...folders] = whole.split("/")
  if (!isBucket(bucket) || folders.length > foldersMax || !folders.every(isFolder)) return null
  return { origin, bucket, prefix: folders.map((folder) => `${folder}/`).join("") }
}

/** The address as people read it. It holds no secret. */
export const objectsUrlText = ({ origin, bucket, prefix }: ObjectsAddress): string =>
  `${origin}/${bucket}${prefix === "" ? "" : `/${prefix.slice(0, -1)}`}`
