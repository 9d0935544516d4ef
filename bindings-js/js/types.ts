// Written from the engine's types by test/types.rs, which says how to renew it.

/** Options of detection; protection takes them too. */
export interface DetectOptions {
  /**
   * ISO 3166-1 alpha-2 code of the country that the text is about; inferred when absent. It weighs as
   * evidence and hides nothing. An unknown code is ignored.
   */
  country?: string | undefined;
  /** Language of the text, such as `de`: evidence for the countries that speak it. */
  language?: string | undefined;
  /** How sure a finding must be; `balanced` when absent. */
  privacy_preset?: Preset | undefined;
  /** Report these types only; empty for all. Aliases of other tools are understood. */
  entities?: EntityType[] | undefined;
  /** Never report these types. */
  exclude_entities?: EntityType[] | undefined;
  /** Minimum confidence instead of the preset's threshold, 0 to 1. */
  min_confidence?: number | undefined;
  /** Findings that are not reported. */
  allow_list?: AllowRule[] | undefined;
  /** Texts that are always reported. */
  deny_list?: DenyRule[] | undefined;
  /** The caller's own detectors. */
  custom_detectors?: CustomDetector[] | undefined;
  /** The unit of offsets; code points when absent (UTF-16 in JavaScript). */
  offset_unit?: OffsetUnit | undefined;
  /** Report the evidence of each finding and of each country. */
  explain?: boolean | undefined;
}

/** Options of protection, in addition to those of detection. */
export interface ProtectOptions extends DetectOptions {
  /** The mode for findings without an operator for their type; `replace` when absent. */
  mode?: Mode | undefined;
  /** Operators by type, instead of `mode`. */
  operators?: Record<string, Operator> | undefined;
  /** For mode `policy`: the policies, in any order. */
  policies?: Policy[] | undefined;
  /** For mode `policy`: the action if no policy applies; `MASK` when absent. */
  default_action?: Action | undefined;
}

/** A value to check. */
export interface ValidateRequest {
  /** Raw value. */
  value: string;
  /** Entity type to validate against. */
  entity_type: EntityType;
  /** ISO country code for country-specific validation. */
  country?: string | undefined;
}

/** The findings in a text. */
export interface DetectResponse {
  /** Original input. */
  text: string;
  /** Ordered by start, never overlapping. */
  entities: DetectedEntity[];
  /** Most likely first. */
  countries_detected: CountryDetection[];
  /** The effective preset. */
  privacy_preset: Preset;
  /** Whole milliseconds, rounded up from a started one. */
  processing_time_ms: number;
  /** Version of the contract. */
  api_version: string;
}

/** The findings in several texts. */
export interface DetectBatchResponse {
  /** One per text, in the order of the texts. */
  results: DetectResponse[];
  /** Sum over all results. */
  total_entities: number;
  /** Whole milliseconds for the batch. */
  total_processing_time_ms: number;
}

/** A protected text. */
export interface ProtectResponse {
  /** Text before protection. */
  original_text: string;
  /** Text after protection. */
  protected_text: string;
  /** Ordered by start; offsets are in `original_text`. */
  entities: ProtectedEntity[];
  /** Most likely first. */
  countries_detected: CountryDetection[];
  /** Mode used. */
  protection_mode: Mode;
  /** Milliseconds, a float. */
  processing_time_ms: number;
  /** Version of the contract. */
  api_version: string;
}

/** A text with its tokens restored. */
export interface RestoreResponse {
  /** Text with the originals instead of the tokens. */
  text: string;
  /** The number of restored tokens. */
  restored: number;
  /** The number of unchanged tokens: of another key, altered, or words that only look like one. */
  unknown: number;
  /** Version of the contract. */
  api_version: string;
}

/** The result of validating one value. */
export interface ValidateResponse {
  /** Input value. */
  value: string;
  /** Type used. */
  entity_type: EntityType;
  /** Country used. */
  country: string | null;
  /** Passed validation. */
  valid: boolean;
  /** 0 to 1. */
  confidence: number;
  /** Facts; the `reason` if the value is invalid. */
  metadata: Metadata | null;
}

/** The detectors of the engine. */
export interface DetectorsResponse {
  /** The detectors, by region and name. */
  detectors: DetectorInfo[];
  /** The number of detectors. */
  count: number;
}

/** How sure a finding must be to be reported. */
export type Preset =
  /** Only near-certain personal data: fewest false positives. */
  | "conservative"
  /** The default. */
  | "balanced"
  /** All possible personal data: fewest misses. */
  | "aggressive";

/** A type of the catalogue. */
export type KnownEntityType =
  | "aadhaar"
  | "aadhaar_vid"
  | "aba_routing"
  | "abha"
  | "abn"
  | "accise_fr"
  | "acn"
  | "address"
  | "adoazonosito_jel"
  | "adoszam"
  | "adt_gr"
  | "advertising_id"
  | "afm"
  | "afm_cy"
  | "age"
  | "age_secret_key"
  | "ahv"
  | "aic_it"
  | "airtable_token"
  | "alibaba_access_key"
  | "alien_registration_number"
  | "alv_nro"
  | "amka"
  | "anthropic_api_key"
  | "arc_tw"
  | "asmens_kodas"
  | "association_id_fi"
  | "atin"
  | "atlassian_api_token"
  | "aws_access_key_id"
  | "aws_secret_access_key"
  | "azure_ad_client_secret"
  | "azure_sas_token"
  | "azure_storage_key"
  | "bank_account_generic"
  | "bank_account_jp"
  | "bank_account_nz"
  | "bank_account_ru"
  | "bank_account_us"
  | "bankgiro"
  | "basic_auth_url"
  | "bc_phn"
  | "bi_pt"
  | "bic"
  | "big_nummer"
  | "bin_kz"
  | "bip32_extended_key"
  | "bir_mo"
  | "bis_nummer"
  | "bitbucket_app_password"
  | "bitcoin_private_key_wif"
  | "blood_type"
  | "bn_ca"
  | "brevo_api_key"
  | "brin_nl"
  | "brn_kr"
  | "bsb_au"
  | "bsn"
  | "bsnr"
  | "btw_nl"
  | "bulstat"
  | "bvn_ng"
  | "cae_es"
  | "cap_it"
  | "card_cvv"
  | "card_expiry"
  | "card_track"
  | "carta_identita"
  | "cartao_cidadao"
  | "cbu"
  | "ccc_es"
  | "cccd_vn"
  | "cedula_co"
  | "cedula_cr"
  | "cedula_do"
  | "cedula_ec"
  | "cedula_ni"
  | "cedula_pa"
  | "cedula_ve"
  | "cep"
  | "cfi_code"
  | "chi_number"
  | "ci_bo"
  | "ci_py"
  | "ci_ro"
  | "ci_uy"
  | "cif"
  | "cin_in"
  | "cin_ma"
  | "cin_tn"
  | "cislo_op"
  | "cislo_uctu"
  | "citizenship_np"
  | "city"
  | "civil_id_kw"
  | "clabe"
  | "clave_elector"
  | "cloudflare_token"
  | "cnh"
  | "cni_fr"
  | "cnic"
  | "cnp"
  | "cnpj"
  | "cns_br"
  | "code_melli"
  | "code_postal"
  | "codice_fiscale"
  | "codigo_postal_es"
  | "codigo_postal_pt"
  | "coe_sm"
  | "company_number_gb"
  | "container_number"
  | "corp_reg_kr"
  | "cpf"
  | "cpj_cr"
  | "cpr"
  | "cpr_bh"
  | "crates_io_token"
  | "credit_card"
  | "creditor_reference"
  | "crn_au"
  | "crypto_address"
  | "cui_gt"
  | "cui_ro"
  | "cuit"
  | "cups_es"
  | "curp"
  | "cusip"
  | "cvr"
  | "d_nummer"
  | "databricks_token"
  | "date_of_birth"
  | "davcna_stevilka"
  | "dea_number"
  | "deny_list"
  | "dic_cz"
  | "digitalocean_token"
  | "dimex_cr"
  | "discord_bot_token"
  | "discord_webhook"
  | "dni_ar"
  | "dni_es"
  | "dni_hn"
  | "dni_pe"
  | "docker_hub_token"
  | "document_nl"
  | "dod_id_number"
  | "domain_name"
  | "doppler_token"
  | "dowod_osobisty"
  | "driver_licence_au"
  | "driver_licence_ca_on"
  | "driver_licence_nz"
  | "driver_license_jp"
  | "driver_license_kr"
  | "driver_license_number"
  | "driver_license_ru"
  | "driver_license_us"
  | "driving_licence_gb"
  | "driving_licence_in"
  | "dropbox_token"
  | "dui_sv"
  | "dynatrace_token"
  | "e_ticket_number"
  | "edb_mk"
  | "edrpou"
  | "egn"
  | "ehic"
  | "eic"
  | "eid_be"
  | "ein"
  | "eircode"
  | "email"
  | "embg"
  | "emirates_id"
  | "emso"
  | "epic_in"
  | "eu_oss_vat"
  | "euro_banknote"
  | "excise_eu"
  | "facebook_token"
  | "figi"
  | "figma_token"
  | "fin_az"
  | "finess"
  | "firmenbuchnummer"
  | "flyio_token"
  | "fodselsnummer"
  | "fpk_api_key"
  | "frn"
  | "fuehrerschein"
  | "gcp_service_account_key"
  | "gender"
  | "generic_secret"
  | "geo_coordinates"
  | "ghana_card"
  | "github_fine_grained_pat"
  | "github_token"
  | "gitlab_token"
  | "gmc_number"
  | "google_api_key"
  | "google_oauth_token"
  | "grafana_token"
  | "grid_id"
  | "groq_api_key"
  | "gstin"
  | "handelsregisternummer"
  | "hashicorp_vault_token"
  | "health_insurance_jp"
  | "health_plan_number"
  | "heroku_api_key"
  | "hetu"
  | "hkid"
  | "hojin_bango"
  | "hp_il"
  | "hsc_number"
  | "http_auth_header"
  | "http_cookie"
  | "huggingface_token"
  | "iban"
  | "ic_dph"
  | "iccid"
  | "icd10_code"
  | "ice_ma"
  | "ico"
  | "id_card_cy"
  | "id_card_mt"
  | "id_card_ua"
  | "id_number_za"
  | "idno_md"
  | "idnp_md"
  | "ifsc"
  | "ihi"
  | "iin_kz"
  | "imei"
  | "imo_number"
  | "imones_kodas"
  | "imsi"
  | "ine_fr"
  | "inn"
  | "ip_address"
  | "ird"
  | "isan"
  | "isikukood"
  | "isil"
  | "isin"
  | "isni"
  | "isrc"
  | "itin"
  | "jmbg"
  | "jwt"
  | "kela_card"
  | "kennitala"
  | "kenteken"
  | "kfz_kennzeichen"
  | "kmkr"
  | "kod_pocztowy"
  | "kontonummer_no"
  | "kozossegi_adoszam"
  | "kpp_ru"
  | "krs"
  | "ksiega_wieczysta"
  | "kvk"
  | "kvnr"
  | "lanr"
  | "lei"
  | "leitweg_id"
  | "license_plate"
  | "license_plate_us"
  | "linear_api_key"
  | "lnch"
  | "mac_address"
  | "mailchimp_api_key"
  | "mailgun_api_key"
  | "marital_status"
  | "maticna_stevilka"
  | "matricula_es"
  | "matricule_lu"
  | "mbi"
  | "medical_condition"
  | "medical_record_number"
  | "medicare_au"
  | "meid"
  | "mf_tn"
  | "momsnummer_se"
  | "mrz"
  | "mst_vn"
  | "mwst_ch"
  | "my_number"
  | "mykad"
  | "name"
  | "national_id"
  | "national_id_eg"
  | "national_id_iq"
  | "national_id_jo"
  | "national_id_ke"
  | "national_id_kh"
  | "national_id_om"
  | "national_id_rw"
  | "national_id_sa"
  | "national_id_tw"
  | "national_id_zw"
  | "nationality"
  | "ncf_do"
  | "ndc"
  | "newrelic_key"
  | "nhi"
  | "nhi_card_tw"
  | "nhs_number"
  | "ni_cu"
  | "nib_pt"
  | "nic_lk"
  | "nid_al"
  | "nid_bd"
  | "nid_mu"
  | "nida_tz"
  | "nie"
  | "nif_dz"
  | "nif_ht"
  | "nif_iva_es"
  | "nif_pt"
  | "nifp_gn"
  | "nik"
  | "nin_ng"
  | "nin_ug"
  | "ninea"
  | "nino"
  | "nip"
  | "nipt"
  | "nir"
  | "niss_pt"
  | "nit_co"
  | "nit_gt"
  | "nit_sv"
  | "notion_token"
  | "npi"
  | "npm_token"
  | "npwp"
  | "nrb"
  | "nrc_mm"
  | "nric"
  | "nrt_ad"
  | "nss_mx"
  | "nuit_mz"
  | "nuss"
  | "nzbn"
  | "oab_br"
  | "ogm_vcs"
  | "ogrn"
  | "ohip"
  | "oib"
  | "oms_ru"
  | "ondernemingsnummer"
  | "onderwijsnummer"
  | "one_password_secret_key"
  | "onrc"
  | "openai_api_key"
  | "orcid"
  | "organisasjonsnummer"
  | "organisationsnummer"
  | "organization"
  | "p_tal"
  | "pan"
  | "partita_iva"
  | "pasaport_tr"
  | "pasaporte_ar"
  | "pasaporte_cl"
  | "pasaporte_es"
  | "pasaporte_mx"
  | "paspor_id"
  | "passaporte_br"
  | "passaporto"
  | "passport_au"
  | "passport_ca"
  | "passport_cn"
  | "passport_fr"
  | "passport_gb"
  | "passport_in"
  | "passport_jp"
  | "passport_kr"
  | "passport_my"
  | "passport_ng"
  | "passport_number"
  | "passport_nz"
  | "passport_ru"
  | "passport_sg"
  | "passport_th"
  | "passport_tw"
  | "passport_ua"
  | "passport_us"
  | "passport_vn"
  | "passport_za"
  | "password"
  | "password_hash"
  | "paszport_pl"
  | "patente_ar"
  | "patente_it"
  | "paypal_braintree_token"
  | "peid"
  | "permis_fr"
  | "perplexity_api_key"
  | "personal_number_by"
  | "personal_number_ge"
  | "personalausweis"
  | "personas_kods"
  | "personnummer"
  | "pesel"
  | "philhealth"
  | "philsys"
  | "phone"
  | "phone_number"
  | "pib_me"
  | "pib_rs"
  | "pin_ke"
  | "pin_th"
  | "pincode"
  | "pis"
  | "placa_br"
  | "place_of_birth"
  | "plaka"
  | "planetscale_token"
  | "plaque_fr"
  | "plate_cn"
  | "plate_ru"
  | "plusgiro"
  | "plz"
  | "plz_ch"
  | "pnr_locator"
  | "postal_code"
  | "postal_code_ca"
  | "postal_code_jp"
  | "postal_code_sg"
  | "postcode_au"
  | "postcode_gb"
  | "postcode_nl"
  | "postleitzahl_at"
  | "postman_api_key"
  | "postnummer_no"
  | "postnummer_se"
  | "pps"
  | "private_key_pem"
  | "processo_cnj"
  | "ptin"
  | "pulumi_token"
  | "putty_private_key"
  | "pvm"
  | "pvn"
  | "pwz"
  | "pypi_token"
  | "qid"
  | "qr_referenz_ch"
  | "ramq"
  | "rcs_fr"
  | "referencia_catastral"
  | "registreringsnummer_se"
  | "registrikood"
  | "regon"
  | "reisepass"
  | "rejestracja_pl"
  | "renavam"
  | "replicate_api_token"
  | "residence_card_jp"
  | "resident_id_cn"
  | "rfc"
  | "rg_br"
  | "rib"
  | "rif_ve"
  | "rijbewijs_nl"
  | "rijksregisternummer"
  | "rnc_do"
  | "rnokpp"
  | "rodne_cislo"
  | "routing_number_ca"
  | "rpps"
  | "rrn"
  | "rubygems_token"
  | "ruc_ec"
  | "ruc_pe"
  | "ruc_py"
  | "rut_cl"
  | "rut_uy"
  | "rvnr"
  | "samordningsnummer"
  | "sedol"
  | "seed_phrase"
  | "sendgrid_api_key"
  | "sentry_token"
  | "sepa_creditor_id"
  | "shopify_token"
  | "sin"
  | "siren"
  | "siret"
  | "slack_token"
  | "slack_webhook"
  | "snils"
  | "social_handle"
  | "sort_code_account_gb"
  | "special_category_term"
  | "spi_fr"
  | "square_token"
  | "ssh_public_key"
  | "ssn"
  | "ssn_am"
  | "sss_ph"
  | "steuer_id"
  | "steuernummer"
  | "steuernummer_at"
  | "storage_signed_url"
  | "stripe_key"
  | "supabase_key"
  | "svnr_at"
  | "szemelyi_igazolvany"
  | "szemelyi_szam"
  | "taj"
  | "targa"
  | "tax_number_za"
  | "tckn"
  | "telegram_bot_token"
  | "terraform_cloud_token"
  | "tessera_sanitaria"
  | "teudat_zehut"
  | "tfn"
  | "tin_eg"
  | "tin_gh"
  | "tin_je"
  | "tin_ph"
  | "tin_th"
  | "tin_th_any"
  | "tin_us"
  | "titulo_eleitor"
  | "trn_jm"
  | "tva_fr"
  | "tva_lu"
  | "tva_mc"
  | "twilio_key"
  | "uan_in"
  | "ubn_tw"
  | "uen"
  | "uid_at"
  | "uid_ch"
  | "unp_by"
  | "unzr"
  | "upi_id"
  | "upn"
  | "ups_tracking"
  | "upu_s10_tracking"
  | "url"
  | "uscc"
  | "uscis_receipt"
  | "username"
  | "ust_id"
  | "utente_sns"
  | "utr"
  | "v_tal"
  | "vat_gb"
  | "vat_ie"
  | "vat_mt"
  | "vehicle_registration_gb"
  | "vehicle_registration_in"
  | "vehicle_registration_ng"
  | "veronumero"
  | "vin"
  | "vkn"
  | "voen"
  | "vsk_is"
  | "w_idnr"
  | "wkn"
  | "xai_api_key"
  | "yandex_token"
  | "ytunnus"
  | "zip_code";

/** The type of a finding: one of the catalogue, an alias of it, or one of the caller's own. */
export type EntityType = KnownEntityType | (string & {});

/** A finding that matches is not reported. */
export type AllowRule =
  /** The whole finding, ignoring case. */
  | { value: string }
  /** The whole finding matches this pattern. */
  | { regex: string }
  /** An e-mail address or a URL of this domain or of a subdomain. */
  | { domain: string };

/** A text that is reported wherever it occurs as a separate word. */
export interface DenyRule {
  /** The text, found ignoring case. */
  value: string;
  /** The type to report; `deny_list` when absent. */
  type?: string | undefined;
}

/** A detector of the caller, with the fields of a file of the catalogue. */
export interface CustomDetector {
  /** The type to report: lower-case letters, digits and `_`. */
  name: string;
  /** A regular expression; it must not match the empty text and is matched within one line. */
  pattern?: string | undefined;
  /** How it is written, such as `d4-d4`; instead of a pattern, or in addition to one. */
  shapes?: string[] | undefined;
  /**
   * Check digits of the values that a shape finds; values that fail are not reported. The rule `function`
   * is rejected.
   */
  check?: Check | undefined;
  /** Words near a match that are evidence for it. */
  context?: string[] | undefined;
  /** Confidence of a match without any of the words, 0 to 1; 0.75 when absent. */
  confidence?: number | undefined;
  /** Its category; `personal` when absent. */
  category?: Category | undefined;
}

/** The unit of offsets. */
export type OffsetUnit =
  /** Unicode scalar values; the default on REST and WIT. */
  | "code_point"
  /** UTF-16 code units; the default in JavaScript, so that `text.slice(start, end)` is the original. */
  | "utf16"
  /** UTF-8 bytes. */
  | "byte";

/** How protection replaces a finding. */
export type Mode =
  /** The constant `[REDACTED]`. */
  | "replace"
  /** An asterisk for each character (code point). */
  | "mask"
  /** 16 hex digits of a keyed hash of type and normalised value. */
  | "hash"
  /** A reversible token `tok_<country>_<type>_<id>`. */
  | "tokenize"
  /** Each finding by the first policy that applies to it. */
  | "policy";

/** How the findings of one type are replaced. */
export interface Operator {
  /** Any mode except `policy`. */
  mode?: Mode | undefined;
  /** For `mask`: one character instead of `*`. */
  mask_char?: string | undefined;
  /** For `mask`: the number of letters and digits at the start that stay. */
  keep_first?: number | undefined;
  /** For `mask`: the number of letters and digits at the end that stay. */
  keep_last?: number | undefined;
  /** For `replace`: the text instead of `[REDACTED]`. */
  new_value?: string | undefined;
}

/** A gateway policy: its part that decides on findings. */
export interface Policy {
  /** Reported with each finding that it decides on. */
  name: string;
  /** The highest wins; ties go to the stricter action. */
  priority?: number | undefined;
  /** The action. */
  action: Action;
  /** Alternative conditions; empty for every finding. */
  conditions?: Condition[] | undefined;
  /** Applies only if no other policy does. */
  is_default?: boolean | undefined;
}

/** The action of a policy, from the mildest to the strictest. */
export type Action =
  /** Keeps the finding. */
  | "ALLOW"
  /** Keeps the finding and reports it. */
  | "FLAG"
  /** Asterisks. */
  | "MASK"
  /** A reversible token. */
  | "TOKENIZE"
  /** A keyed hash. */
  | "HASH"
  /** `[REDACTED]`. */
  | "REDACT"
  /** Rejects the call. */
  | "BLOCK";

/** A piece of personal data. */
export interface DetectedEntity {
  /** Entity type. */
  type: EntityType;
  /** Exact matched text. */
  original: string;
  /** Country of the detector. */
  country: string | null;
  /** 0 to 1. */
  confidence: number;
  /** Passed checksum or structural validation. */
  validated: boolean;
  /** Zero-based, in the requested unit. */
  start: number;
  /** Exclusive. */
  end: number;
  /** Detector-specific; null without facts. */
  metadata: Metadata | null;
  /** With `explain` only. */
  evidence?: Evidence[];
}

/** A country that the text is probably about. */
export interface CountryDetection {
  /** ISO 3166-1 alpha-2. */
  code: string;
  /** 0 to 1. */
  confidence: number;
  /** With `explain` only. */
  evidence?: Evidence[];
}

/** A piece of personal data and its replacement. */
export interface ProtectedEntity extends DetectedEntity {
  /** The replacement. */
  protected: string;
  /** The action of the policy; in mode `policy` only. */
  action?: Action;
  /** The policy that decided; absent for the default action. */
  policy?: string;
}

/** Facts by name. */
export type Metadata = Record<string, Fact>;

/** A detector. */
export interface DetectorInfo {
  /** Stable detector name. */
  name: string;
  /** Human-readable summary. */
  description: string;
  /** ISO 3166-1 alpha-2 code of the country, `EU` or `GLOBAL`. */
  region: string;
  /** Its category. */
  category: Category;
  /** The `type` of its findings. */
  entity_type: EntityType;
}

/**
 * Check digits of the compact value: the text without its separators and without the literal prefix of its
 * shape. Letters count 10 to 35 unless a rule defines other values.
 */
export type Check =
  /** No check, for use inside `by_length`. */
  | { rule: "none" }
  /** The Luhn algorithm. */
  | { rule: "luhn"; prefix?: string | undefined }
  /** A sum of digits times weights. */
  | ({ rule: "weighted" } & Weighted)
  /** The whole number and its remainder. */
  | ({ rule: "integer" } & Integer)
  /** ISO 7064 mod 97-10. */
  | { rule: "mod97"; residue?: number | undefined }
  /** ISO 7064 mod 11,10. */
  | { rule: "mod11_10" }
  /** ISO 7064 mod 11-2. */
  | { rule: "mod11_2" }
  /** ISO 7064 mod 37,36. */
  | { rule: "mod37_36" }
  /** The Verhoeff algorithm. */
  | { rule: "verhoeff" }
  /** A check of a part. */
  | { rule: "part"; from?: number | undefined; to?: number | undefined; check: Check }
  /** Every one of several checks. */
  | { rule: "all"; checks: Check[] }
  /** One of several checks. */
  | { rule: "any"; checks: Check[] }
  /** A check that depends on the length. */
  | { rule: "by_length"; lengths: Record<string, Check> };

/** The category of a detector. */
export type Category =
  | "identity"
  | "contact"
  | "financial"
  | "location"
  | "personal"
  | "business"
  | "medical"
  | "government";

/**
 * Keys of one condition; all that are present must hold. An unknown key is rejected: ignoring it would fail
 * open.
 */
export interface Condition {
  /** The minimum confidence of the finding, 0 to 1. */
  confidence_min?: number | undefined;
  /** The finding has one of these types. */
  entity_types?: EntityType[] | undefined;
  /** The finding's type is not one of these. */
  exclude_entity_types?: EntityType[] | undefined;
  /** The finding has one of these countries. */
  countries?: string[] | undefined;
  /** The finding has one of these categories. */
  categories?: Category[] | undefined;
  /** The finding passed its checksum or structural rule, or did not. */
  validated?: boolean | undefined;
  /** The minimum number of findings of its type in the text. */
  min_count?: number | undefined;
}

/** One reason for or against a finding, in log-odds. */
export interface Evidence {
  /**
   * Of a finding: `shape`, `check`, `label`, `context`, `country`, `neighbour` or `competing`. Of a
   * country: `phone`, `domain`, `iban`, `bic`, `vat`, `identifier`, `place`, `postal_code`, `language`,
   * `language_given` or `currency`.
   */
  signal: string;
  /** The weight added to the log-odds. */
  weight: number;
  /** Offset of the first unit. */
  start?: number;
  /** Offset after the last unit. */
  end?: number;
}

/** One detector-specific fact. */
export type Fact =
  /** A flag, such as `checksum_valid`. */
  | boolean
  /** A text, such as `birth_date` = `1944-05-14`. */
  | string;

/** A weighted sum of digits: its remainder is one of `residues`, or determines the check digit with `check`. */
export interface Weighted {
  /** One per position; a shorter list repeats with `cyclic`. */
  weights: number[];
  /** The divisor of the sum. */
  modulus: number;
  /** The valid remainders. */
  residues?: number[] | undefined;
  /** The check digit for each remainder; `-` means "never issued" and `?` "use the weights of `then`". */
  check?: string | undefined;
  /** The position of the check digit, which is not part of the sum; negative from the end. */
  at?: number | undefined;
  /** Added to the sum. */
  offset?: number | undefined;
  /** The terms of the sum. */
  product?: Product | undefined;
  /** Weights used if `check` has `?`; if their remainder has `?` too, the digit is 0. */
  then?: number[] | undefined;
  /** The position of a letter in this list is its value. */
  alphabet?: string | undefined;
  /** The weights repeat. */
  cyclic?: boolean | undefined;
}

/** The whole number modulo `modulus`: the remainder is one of `residues`, or determines the check digits. */
export interface Integer {
  /** The divisor. */
  modulus: number;
  /** The valid remainders. */
  residues?: number[] | undefined;
  /** How many of the last digits are check digits: the remainder of the digits before them. */
  check_len?: number | undefined;
  /** The check digits are `modulus` minus the remainder. */
  complement?: boolean | undefined;
  /** The last character for each remainder of the preceding digits. */
  check?: string | undefined;
}

/** The terms of a weighted sum. */
export type Product =
  /** The products themselves. */
  | "plain"
  /** The digits of each product. */
  | "digit_sum";
