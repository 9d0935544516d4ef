// Written by `generate/`, from the OpenAPI document and the catalogue. Do not edit.

/**
 * A type of the catalogue.
 *
 * @example
 * const wanted = ["pesel", "email"]; // EntityType[]
 * find("PESEL 44051401359, a@example.com", { entities: wanted }).length; // 2
 */
export type EntityType =
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

/**
 * A type where aliases of other tools and the caller's own types are understood, too.
 *
 * @example
 * find("My name is Emily Carter", { entities: ["PERSON"] })[0].type; // "name"
 */
export type AnyEntityType = EntityType | (string & {});

/**
 * Options of detection; protection takes them too.
 *
 * @example
 * detect("PESEL 44051401359", { country: "PL", entities: ["pesel"], minConfidence: 0.9 }).entities.length; // 1
 */
export interface DetectOptions<Custom extends string = never> {
  /** Country of the text, as ISO 3166-1 alpha-2 code; inferred when absent. It weighs as evidence and hides nothing. An unknown code is ignored. */
  country?: string | undefined;
  /** Language of the text, such as `de`. It is evidence for the countries that speak it. */
  language?: string | undefined;
  /** The preset of the minimum confidence; `balanced` when absent. */
  privacyPreset?: Preset | undefined;
  /** Report these types only; empty for all. Aliases of other tools are understood. */
  entities?: AnyEntityType[] | undefined;
  /** Never report these types. */
  excludeEntities?: AnyEntityType[] | undefined;
  /** Minimum confidence instead of the preset's threshold, 0 to 1. */
  minConfidence?: number | undefined;
  /** Findings that are not reported. */
  allowList?: AllowRule[] | undefined;
  /** Texts that are always reported. */
  denyList?: DenyRule<Custom>[] | undefined;
  /** The caller's own detectors. */
  customDetectors?: CustomDetector<Custom>[] | undefined;
  /** Findings of the caller's own model, as evidence. They belong to one text: calls with several texts, and streams, take none. */
  hints?: Hint<Custom>[] | undefined;
  /** The unit of offsets; UTF-16 code units when absent. */
  offsetUnit?: OffsetUnit | undefined;
  /** Report the evidence of each finding and of each country. */
  explain?: boolean | undefined;
}

/**
 * Options of protection, in addition to those of detection.
 *
 * @example
 * protect("Emily Carter, a@example.com", { mode: "mask", operators: { email: { newValue: "-" } } }).protectedText; // "************, -"
 */
export interface EngineProtectOptions<Custom extends string = never> extends DetectOptions<Custom> {
  /** The mode for findings without an operator for their type. The default is `replace`. */
  mode?: EngineMode | undefined;
  /** Operators by type, instead of `mode`. */
  operators?: Record<string, Operator> | undefined;
  /** For mode `policy`: the policies, in any order. */
  policies?: Policy[] | undefined;
  /** For mode `policy`: the action if no policy applies; `MASK` when absent. */
  defaultAction?: Action | undefined;
}

/**
 * A value to check.
 *
 * @example
 * validate({ value: "44051401359", entityType: "pesel", country: "PL" }).valid; // true
 */
export interface ValidateRequest {
  /** Raw value. */
  value: string;
  /** Entity type to validate against. */
  entityType: AnyEntityType;
  /** ISO country code for country-specific validation. */
  country?: string | undefined;
}

/**
 * A finding that matches is not reported.
 *
 * @example
 * const allowList = [{ domain: "example.com" }, { value: "anna@test.org" }];
 * find("a@example.com, anna@test.org, b@test.org", { allowList }).map(({ original }) => original); // ["b@test.org"]
 */
export type AllowRule =
  | {
      /** The whole finding, ignoring case. */
      value: string;
    }
  | {
      /** The whole finding matches this pattern. */
      regex: string;
    }
  | {
      /** An e-mail address or a URL of this domain or its subdomains. */
      domain: string;
    };

/**
 * A text that is reported wherever it occurs as a separate word.
 *
 * @example
 * const denyList = [{ value: "Nightfall", type: "codename" }];
 * find("the budget of Nightfall", { denyList })[0].type; // "codename"
 */
export interface DenyRule<Custom extends string = never> {
  /** The text, found ignoring case. */
  value: string;
  /** The type to report; `deny_list` when absent. */
  type?: EntityType | Custom | undefined;
}

/**
 * A finding of the caller's own model, which is evidence.
 *
 * @example
 * const hints = [{ type: "PERSON", start: 4, end: 12, confidence: 0.9 }]; // what your model says
 * find("ask zq kvorn", { hints })[0].type; // "name"
 */
export interface Hint<Custom extends string = never> {
  /** A type of the catalogue, or one of the model. The name of a type in another tool, such as `PERSON`, is understood. A type of the model has lower-case letters, digits and `_`. */
  type: AnyEntityType | Custom;
  /** Offset of its first unit in the text, counted from zero. */
  start: number;
  /** Offset after its last unit. */
  end: number;
  /** The probability that the model gives, 0 to 1. */
  confidence: number;
}

/**
 * A detector of the caller, with the fields of a catalogue file.
 *
 * @example
 * const customDetectors = [{ name: "ticket", pattern: "T-[0-9]{4}", context: ["ticket"] }];
 * find("ticket T-1234", { customDetectors })[0].type; // "ticket"
 */
export interface CustomDetector<Custom extends string = never> {
  /** The type to report: lower-case letters, digits and `_`. */
  name: Custom;
  /** A regular expression, matched within one line. It must not match the empty text. */
  pattern?: string | undefined;
  /** Shapes of the value, such as `d4-d4`. Instead of a pattern, or in addition to one. */
  shapes?: string[] | undefined;
  /** Words that stand next to the value, such as `member number`. They are evidence like the labels of the catalogue: also as the head of a column, or in the question before an answer. */
  labels?: string[] | undefined;
  /** Further shapes, found only next to one of the labels. */
  labelled?: string[] | undefined;
  /** The contents of fixed places of the values that a shape finds. Values with other contents are not reported. */
  parts?: Part[] | undefined;
  /** Check digits of the values that a shape finds. Values that fail are not reported. The rule `function` is rejected. */
  check?: Check | undefined;
  /** Words near a match that are evidence for it. */
  context?: string[] | undefined;
  /** Confidence of a match without any of the words, 0 to 1. The default is 0.75. */
  confidence?: number | undefined;
  /** Its category; `personal` when absent. */
  category?: Category | undefined;
}

/**
 * Fixed places of a compact value and what they may contain.
 *
 * The compact value is the text without its separators and without the literal prefix of its shape, with its letters in upper case. All conditions that are given must hold, and at least one is given.
 *
 * @example
 * const parts = [{ at: 2, len: 2, min: 1, max: 12 }];
 * find("bins 1312 and 1313", { customDetectors: [{ name: "bin", shapes: ["d4"], parts }] }).map(({ original }) => original); // ["1312"]
 */
export interface Part {
  /** The first place, counted from 0; negative from the end. */
  at: number;
  /** The number of characters, or 0 up to the end. The default is 1. */
  len?: number | undefined;
  /** The length of the values that have this part; 0 for all. */
  length?: number | undefined;
  /** The smallest number that may be there. */
  min?: number | undefined;
  /** The largest number that may be there. */
  max?: number | undefined;
  /** Numbers that are never there. */
  not?: number[] | undefined;
  /** The characters that may be there. */
  chars?: string | undefined;
  /** Strings that may be there, each of `len` characters. */
  oneOf?: string[] | undefined;
  /** Strings that are never there, each of `len` characters. */
  noneOf?: string[] | undefined;
  /** Numbers that may be there. An entry is a number, or a range such as `1-40`. */
  within?: string[] | undefined;
}

/**
 * Check digits of a compact value.
 *
 * The compact value is the text without its separators and without the literal prefix of its shape. Letters count 10 to 35 unless a rule defines other values.
 *
 * @example
 * const customDetectors = [{ name: "member", shapes: ["d4-d4"], check: { rule: "luhn" } }];
 * find("member 1234-5674, member 1234-5678", { customDetectors }).map(({ original }) => original); // ["1234-5674"]
 */
export type Check =
  | {
      /** No check, for use inside `by_length`. */
      rule: "none";
    }
  | {
      /** The Luhn algorithm. */
      rule: "luhn";
      /** Digits inserted before the value. */
      prefix?: string | undefined;
    }
  | {
      /** A sum of digits times weights. */
      rule: "weighted";
      /** One per position; a shorter list repeats with `cyclic`. */
      weights: number[];
      /** The divisor of the sum. */
      modulus: number;
      /** The valid remainders. */
      residues?: number[] | undefined;
      /** The check digit for each remainder. `-` means "never issued" and `?` "use the weights of `then`". */
      check?: string | undefined;
      /** The position of the check digit, negative from the end. The sum excludes it. */
      at?: number | undefined;
      /** Added to the sum. */
      offset?: number | undefined;
      /** The terms of the sum. */
      product?: Product | undefined;
      /** Weights used if `check` has `?`. If their remainder has `?` too, the digit is 0. */
      then?: number[] | undefined;
      /** The position of a letter in this list is its value. */
      alphabet?: string | undefined;
      /** The weights repeat. */
      cyclic?: boolean | undefined;
    }
  | {
      /** The whole number and its remainder. */
      rule: "integer";
      /** The divisor. */
      modulus: number;
      /** The valid remainders. */
      residues?: number[] | undefined;
      /** The number of check digits at the end. They are the remainder of the digits before them. */
      checkLen?: number | undefined;
      /** The check digits are `modulus` minus the remainder. */
      complement?: boolean | undefined;
      /** The last character for each remainder of the preceding digits. */
      check?: string | undefined;
    }
  | {
      /** ISO 7064 mod 97-10. */
      rule: "mod97";
      /** The required remainder. */
      residue?: number | undefined;
    }
  | {
      /** ISO 7064 mod 11,10. */
      rule: "mod11_10";
    }
  | {
      /** ISO 7064 mod 11-2. */
      rule: "mod11_2";
    }
  | {
      /** ISO 7064 mod 37,36. */
      rule: "mod37_36";
    }
  | {
      /** The Verhoeff algorithm. */
      rule: "verhoeff";
    }
  | {
      /** A check of a part. */
      rule: "part";
      /** The first position, counted from 0; negative from the end. */
      from?: number | undefined;
      /** The position after the last. Negative from the end, absent for the end. */
      to?: number | undefined;
      /** The check of the part. */
      check: Check;
    }
  | {
      /** Every one of several checks. */
      rule: "all";
      /** All of them must hold. */
      checks: Check[];
    }
  | {
      /** One of several checks. */
      rule: "any";
      /** One of them must hold. */
      checks: Check[];
    }
  | {
      /** A check that depends on the length. */
      rule: "by_length";
      /** By length, as a number; other lengths have no check. */
      lengths: Record<string, Check>;
    };

/**
 * The replacement of the findings of one type.
 *
 * @example
 * const operators = { credit_card: { mode: "mask", keepLast: 4 } };
 * protect("card 4111 1111 1111 1111", { operators }).protectedText; // "card ***************1111"
 */
export interface Operator {
  /** Any mode except `policy`. */
  mode?: "replace" | "mask" | "hash" | "tokenize" | undefined;
  /** For `mask`: one character instead of `*`. */
  maskChar?: string | undefined;
  /** For `mask`: the number of leading letters and digits that stay. */
  keepFirst?: number | undefined;
  /** For `mask`: the number of trailing letters and digits that stay. */
  keepLast?: number | undefined;
  /** For `replace`: the text instead of `[REDACTED]`. */
  newValue?: string | undefined;
}

/**
 * A gateway policy: its part that decides on findings.
 *
 * @example
 * const policies = [{ name: "mail stays", action: "ALLOW", conditions: [{ entityTypes: ["email"] }] }];
 * const options = { mode: "policy", policies, defaultAction: "REDACT" };
 * protect("PESEL 44051401359, a@example.com", options).protectedText; // "PESEL [REDACTED], a@example.com"
 */
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
  isDefault?: boolean | undefined;
}

/**
 * Keys of one condition; all that are present must hold.
 *
 * An unknown key is rejected: ignoring it would fail open.
 *
 * @example
 * const policies = [{ name: "sure mail stays", action: "ALLOW", conditions: [{ entityTypes: ["email"], confidenceMin: 0.5 }] }];
 * protect("a@example.com", { mode: "policy", policies, defaultAction: "REDACT" }).protectedText; // "a@example.com"
 */
export interface Condition {
  /** The minimum confidence of the finding, 0 to 1. */
  confidenceMin?: number | undefined;
  /** The finding has one of these types. */
  entityTypes?: AnyEntityType[] | undefined;
  /** The finding's type is not one of these. */
  excludeEntityTypes?: AnyEntityType[] | undefined;
  /** The finding has one of these countries. */
  countries?: string[] | undefined;
  /** The finding has one of these categories. */
  categories?: Category[] | undefined;
  /** The finding passed its checksum or structural rule, or did not. */
  validated?: boolean | undefined;
  /** The minimum number of findings of its type in the text. */
  minCount?: number | undefined;
}

/**
 * The minimum confidence of reported findings, by name.
 * - `conservative`: Only near-certain personal data: fewest false positives.
 * - `balanced`: The default.
 * - `aggressive`: All possible personal data: fewest misses.
 *
 * @example
 * find("Dear Emily Carter", { preset: "conservative" })[0].type; // "name"
 */
export type Preset = "conservative" | "balanced" | "aggressive";

/**
 * The unit of offsets.
 * - `code_point`: Unicode scalar values; the default on REST and WIT.
 * - `utf16`: UTF-16 code units; the default in JavaScript. `text.slice(start, end)` is then the original.
 * - `byte`: UTF-8 bytes.
 *
 * @example
 * find("🙂 a@example.com", { offsetUnit: "byte" })[0].start; // 5
 * find("🙂 a@example.com")[0].start; // 3
 */
export type OffsetUnit = "code_point" | "utf16" | "byte";

/**
 * The kind of replacement for a finding.
 * - `replace`: The constant `[REDACTED]`.
 * - `mask`: An asterisk for each character (code point).
 * - `hash`: 16 hex digits of a keyed hash of type and normalised value.
 * - `tokenize`: A reversible token `tok_<country>_<type>_<id>`.
 * - `policy`: Each finding by the first policy that applies to it.
 *
 * @example
 * protect("Dear Emily Carter", { mode: "mask" }).protectedText; // "Dear ************"
 */
export type EngineMode = "replace" | "mask" | "hash" | "tokenize" | "policy";

/**
 * The action of a policy, from the mildest to the strictest.
 * - `ALLOW`: Keeps the finding.
 * - `FLAG`: Keeps the finding and reports it.
 * - `MASK`: Asterisks.
 * - `TOKENIZE`: A reversible token.
 * - `HASH`: A keyed hash.
 * - `REDACT`: `[REDACTED]`.
 * - `BLOCK`: Rejects the call.
 *
 * @example
 * const options = { mode: "policy", policies: [], defaultAction: "MASK" };
 * protect("Dear Emily Carter", options).protectedText; // "Dear ************"
 */
export type Action = "ALLOW" | "FLAG" | "MASK" | "TOKENIZE" | "HASH" | "REDACT" | "BLOCK";

/**
 * The category of a detector.
 * - `identity`: Identities: national identifiers, tax numbers of persons.
 * - `contact`: Ways to reach a person: e-mail addresses, phone numbers.
 * - `financial`: Accounts, cards, banks.
 * - `location`: Places on the map or on a network.
 * - `personal`: Other facts about a person, such as a date of birth.
 * - `business`: Companies and their registers.
 * - `medical`: Health insurance, patients, physicians.
 * - `government`: Documents and registers of the state.
 *
 * @example
 * detectors().detectors.find(({ entityType }) => entityType === "email").category; // "contact"
 */
export type Category = "identity" | "contact" | "financial" | "location" | "personal" | "business" | "medical" | "government";

/**
 * The terms of a weighted sum.
 * - `plain`: The products themselves.
 * - `digit_sum`: The digits of each product.
 *
 * @example
 * const check = { rule: "weighted", weights: [2, 1], cyclic: true, modulus: 10, product: "digit_sum" }; // as Luhn
 * find("member 1234-5674, member 1234-5678", { customDetectors: [{ name: "member", shapes: ["d4-d4"], check }] }).length; // 1
 */
export type Product = "plain" | "digit_sum";

/**
 * The findings in a text.
 *
 * @example
 * const { entities, privacyPreset } = detect("PESEL 44051401359");
 * [entities.length, privacyPreset]; // [1, "balanced"]
 */
export interface DetectResponse<Custom extends string = never> {
  /** Original input. */
  text: string;
  /** Ordered by start, never overlapping. */
  entities: DetectedEntity<Custom>[];
  /** Most likely first. */
  countriesDetected: CountryDetection[];
  /** The effective preset. */
  privacyPreset: Preset;
  /** Whole milliseconds, rounded up from a started one. */
  processingTimeMs: number;
  /** Version of the API. */
  apiVersion: "v1";
}

/**
 * The findings in several texts.
 *
 * @example
 * detectBatch(["PESEL 44051401359", "nothing"]).results.map(({ entities }) => entities.length); // [1, 0]
 */
export interface DetectBatchResponse<Custom extends string = never> {
  /** One per text, in the order of the texts. */
  results: DetectResponse<Custom>[];
  /** Sum over all results. */
  totalEntities: number;
  /** Whole milliseconds for the batch. */
  totalProcessingTimeMs: number;
}

/**
 * A protected text.
 *
 * @example
 * const { originalText, protectedText, entities } = protect("Dear Emily Carter");
 * [originalText, protectedText, entities[0].protected]; // ["Dear Emily Carter", "Dear [REDACTED]", "[REDACTED]"]
 */
export interface ProtectResponse<Custom extends string = never> {
  /** Text before protection. */
  originalText: string;
  /** Text after protection. */
  protectedText: string;
  /** Ordered by start; offsets are in `originalText`. */
  entities: ProtectedEntity<Custom>[];
  /** Most likely first. */
  countriesDetected: CountryDetection[];
  /** Mode used. */
  protectionMode: EngineMode;
  /** Milliseconds, a float. */
  processingTimeMs: number;
  /** Version of the API. */
  apiVersion: "v1";
}

/**
 * A text with its tokens restored.
 *
 * @example
 * const { text, restored, unknown } = restore(protect("Dear Emily Carter", { mode: "tokenize" }).protectedText);
 * [text, restored, unknown]; // ["Dear Emily Carter", 1, 0]
 */
export interface RestoreResponse {
  /** Text with the originals instead of the tokens. */
  text: string;
  /** The number of restored tokens. */
  restored: number;
  /** The number of unchanged tokens. They have another key, are altered, or only look like tokens. */
  unknown: number;
  /** Version of the API. */
  apiVersion: "v1";
}

/**
 * The result of validating one value.
 *
 * @example
 * const { valid, metadata } = validate("44051401359", "pesel");
 * [valid, metadata.birthDate]; // [true, "1944-05-14"]
 */
export interface ValidateResponse {
  /** Input value. */
  value: string;
  /** Type used. */
  entityType: EntityType;
  /** Country used. */
  country: string | null;
  /** Passed validation. */
  valid: boolean;
  /** 0 to 1. */
  confidence: number;
  /** Facts; the `reason` if the value is invalid. */
  metadata: Metadata | null;
}

/**
 * The detectors of the engine.
 *
 * @example
 * detectors().detectors.length > 500; // true
 */
export interface DetectorsResponse {
  /** The detectors, by region and name. */
  detectors: DetectorInfo[];
  /** The number of detectors. */
  count: number;
}

/**
 * A piece of personal data.
 *
 * @example
 * const [{ type, start, end, confidence }] = find("PESEL 44051401359");
 * [type, start, end, confidence > 0.9]; // ["pesel", 6, 17, true]
 */
export interface DetectedEntityOf<Type extends string, Facts extends Metadata = Metadata> {
  /** Entity type. */
  type: Type;
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
  metadata: Facts | null;
  /** With `explain` only. */
  evidence?: Evidence[];
}

/**
 * A piece of personal data and its replacement.
 *
 * @example
 * protect("PESEL 44051401359").entities[0].protected; // "[REDACTED]"
 */
export interface ProtectedEntityOf<Type extends string, Facts extends Metadata = Metadata> extends DetectedEntityOf<Type, Facts> {
  /** The replacement. */
  protected: string;
  /** The action of the policy; in mode `policy` only. */
  action?: Action;
  /** The policy that decided; absent for the default action. */
  policy?: string;
}

/**
 * A country that the text is probably about.
 *
 * @example
 * const [{ code, confidence }] = detect("PESEL 44051401359").countriesDetected;
 * [code, confidence > 0.5]; // ["PL", true]
 */
export interface CountryDetection {
  /** ISO 3166-1 alpha-2. */
  code: string;
  /** 0 to 1. */
  confidence: number;
  /** With `explain` only. */
  evidence?: Evidence[];
}

/**
 * A detector.
 *
 * @example
 * const { region, category } = detectors().detectors.find(({ entityType }) => entityType === "pesel");
 * [region, category]; // ["PL", "identity"]
 */
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
  entityType: EntityType;
}

/**
 * One reason for or against a finding, in log-odds.
 *
 * @example
 * const [{ evidence }] = find("PESEL 44051401359", { explain: true });
 * evidence.length > 0; // true
 */
export interface Evidence {
  /** Of a finding: `shape`, `check`, `label`, `context`, `country`, `neighbour`, `hint` or `competing`. Of a name also `letters`, `case`, `lexicon`, `words`, `signs` or `repetition`. Of a country: `phone`, `domain`, `iban`, `bic`, `vat`, `identifier`, `place`, `postal_code`, `language`, `language_given` or `currency`. */
  signal: string;
  /** The weight added to the log-odds. */
  weight: number;
  /** Offset of the first unit. */
  start?: number;
  /** Offset after the last unit. */
  end?: number;
}

/**
 * Facts about a finding, each where its value tells it.
 *
 * @example
 * const [{ metadata }] = find("PESEL 44051401359");
 * [metadata.birthDate, metadata.gender, metadata.checksumValid]; // ["1944-05-14", "male", true]
 */
export interface Metadata {
  /** The value without separators; of an e-mail address its canonical form. */
  normalized?: string;
  /** Whether the check digits fit; absent for a type without check digits. */
  checksumValid?: boolean;
  /** Of `validate`: why the value is not valid: `format`, `length`, `checksum` or `component`. */
  reason?: "format" | "length" | "checksum" | "component";
  /** The date of birth in the value, ISO 8601. */
  birthDate?: string;
  /** `true` where the value has two digits of the year and the century was inferred. */
  centuryInferred?: boolean;
  /** The gender in the value: `female` or `male`. */
  gender?: "female" | "male";
  /** The region in the value, by ISO 3166-2 where there is a code; of an address its region. */
  region?: string;
  /** The country in the value, such as that of an IBAN or a BIC. */
  country?: string;
  /** A telephone number in international form, `+420601123456`. */
  e164?: string;
  /** Of a telephone number: `fixed_line`, `mobile`, `fixed_line_or_mobile`, `toll_free`, `premium_rate`, `shared_cost`, `voip`, `personal_number`, `pager`, `uan` or `voicemail`. */
  lineType?: "fixed_line" | "mobile" | "fixed_line_or_mobile" | "toll_free" | "premium_rate" | "shared_cost" | "voip" | "personal_number" | "pager" | "uan" | "voicemail";
  /** Of a card number, such as `visa`. */
  brand?: string;
  /** Of an amount. */
  currency?: string;
  /** Of a crypto address, such as `ethereum`. */
  network?: string;
  /** Of an IP address: `4` or `6`. */
  version?: "4" | "6";
  /** Of a wallet's key: `private` or `public`. */
  key?: "private" | "public";
  /** Degrees north. */
  latitude?: string;
  /** Degrees east. */
  longitude?: string;
  /** The given name in a person's name or a travel document. */
  givenName?: string;
  /** The family name in it. */
  familyName?: string;
  /** The title in front of a name. */
  title?: string;
  /** What the given name suggests: `female` or `male`. */
  probableGender?: "female" | "male";
  /** What the name suggests, ISO 3166-1 alpha-2. */
  probableCountry?: string;
  /** Of an address. */
  street?: string;
  /** Of an address. */
  houseNumber?: string;
  /** Of an address: flat, floor. */
  unit?: string;
  /** Of an address. */
  postalCode?: string;
  /** Of an address. */
  city?: string;
  /** Of an address: the country as it is written. */
  addressCountry?: string;
  /** Of a travel document. */
  documentNumber?: string;
  /** Of a travel document, ISO 8601. */
  expiryDate?: string;
  /** Of a travel document: the code in its machine-readable zone. */
  nationality?: string;
}

/**
 * Facts that findings of every type may have.
 *
 * @example
 * find("IBAN DE89 3704 0044 0532 0130 00")[0].metadata.normalized; // "DE89370400440532013000"
 */
export type CommonFact = "normalized" | "checksumValid";

/**
 * The metadata of a type with these facts; it has no others.
 *
 * @example
 * const [{ type, metadata }] = find("PESEL 44051401359");
 * type === "pesel" && metadata.birthDate; // "1944-05-14"
 */
export type MetadataOf<Fact extends keyof Metadata> = {
  [Name in keyof Metadata]: Name extends Fact | CommonFact ? Metadata[Name] : never;
};

/**
 * A piece of personal data: {@link DetectedEntityOf}.
 *
 * Comparing `type` narrows `metadata` to the facts of the type.
 *
 * The names of the caller's own detectors are in `Custom`: the verbs read them from the options.
 *
 * @example
 * const born = find("PESEL 44051401359").map((entity) => (entity.type === "pesel" ? entity.metadata?.birthDate : undefined));
 * born; // ["1944-05-14"]
 */
export type DetectedEntity<Custom extends string = never> = DetectedAs<Kinds> | ([Custom] extends [never] ? never : DetectedEntityOf<Custom>);

/**
 * A piece of personal data and its replacement: {@link ProtectedEntityOf}, narrowed as `DetectedEntity` is.
 *
 * @example
 * const [entity] = protect("PESEL 44051401359").entities;
 * [entity.type, entity.protected]; // ["pesel", "[REDACTED]"]
 */
export type ProtectedEntity<Custom extends string = never> = ProtectedAs<Kinds> | ([Custom] extends [never] ? never : ProtectedEntityOf<Custom>);

type DetectedAs<K extends Kinds> = K extends K ? DetectedEntityOf<K["type"], K["facts"]> : never;
type ProtectedAs<K extends Kinds> = K extends K ? ProtectedEntityOf<K["type"], K["facts"]> : never;

/** Types with the same facts. */
interface Kind<Fact extends keyof Metadata, Type extends EntityType> {
  type: Type;
  facts: MetadataOf<Fact>;
}

type Kinds =
  | Kind<never,
      | "aadhaar"
      | "aadhaar_vid"
      | "aba_routing"
      | "abha"
      | "abn"
      | "accise_fr"
      | "acn"
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
      | "anthropic_api_key"
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
      | "big_nummer"
      | "bin_kz"
      | "bir_mo"
      | "bitbucket_app_password"
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
      | "cedula_co"
      | "cedula_do"
      | "cedula_pa"
      | "cedula_ve"
      | "cep"
      | "cfi_code"
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
      | "clabe"
      | "cloudflare_token"
      | "cnh"
      | "cni_fr"
      | "cnpj"
      | "cns_br"
      | "code_melli"
      | "code_postal"
      | "codigo_postal_pt"
      | "coe_sm"
      | "company_number_gb"
      | "container_number"
      | "corp_reg_kr"
      | "cpf"
      | "cpj_cr"
      | "cpr_bh"
      | "crates_io_token"
      | "creditor_reference"
      | "crn_au"
      | "cui_ro"
      | "cups_es"
      | "cusip"
      | "cvr"
      | "databricks_token"
      | "davcna_stevilka"
      | "dea_number"
      | "deny_list"
      | "digitalocean_token"
      | "dimex_cr"
      | "discord_bot_token"
      | "discord_webhook"
      | "dni_ar"
      | "dni_es"
      | "dni_pe"
      | "docker_hub_token"
      | "document_nl"
      | "dod_id_number"
      | "domain_name"
      | "doppler_token"
      | "dowod_osobisty"
      | "driver_licence_au"
      | "driver_licence_nz"
      | "driver_license_jp"
      | "driver_license_number"
      | "driver_license_ru"
      | "driver_license_us"
      | "dropbox_token"
      | "dui_sv"
      | "dynatrace_token"
      | "e_ticket_number"
      | "edb_mk"
      | "edrpou"
      | "ehic"
      | "eic"
      | "eid_be"
      | "ein"
      | "eircode"
      | "email"
      | "emirates_id"
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
      | "fpk_api_key"
      | "fuehrerschein"
      | "gcp_service_account_key"
      | "generic_secret"
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
      | "handelsregisternummer"
      | "hashicorp_vault_token"
      | "health_insurance_jp"
      | "health_plan_number"
      | "heroku_api_key"
      | "hkid"
      | "hojin_bango"
      | "hp_il"
      | "hsc_number"
      | "http_auth_header"
      | "http_cookie"
      | "huggingface_token"
      | "icd10_code"
      | "ice_ma"
      | "ico"
      | "id_card_cy"
      | "id_card_mt"
      | "id_card_ua"
      | "idno_md"
      | "idnp_md"
      | "ifsc"
      | "ihi"
      | "imei"
      | "imo_number"
      | "imones_kodas"
      | "ine_fr"
      | "inn"
      | "ird"
      | "isan"
      | "isni"
      | "itin"
      | "jwt"
      | "kela_card"
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
      | "mbi"
      | "medical_condition"
      | "medical_record_number"
      | "medicare_au"
      | "meid"
      | "mf_tn"
      | "momsnummer_se"
      | "mst_vn"
      | "mwst_ch"
      | "my_number"
      | "national_id"
      | "national_id_iq"
      | "national_id_jo"
      | "national_id_ke"
      | "national_id_kh"
      | "national_id_om"
      | "national_id_sa"
      | "national_id_zw"
      | "ncf_do"
      | "ndc"
      | "newrelic_key"
      | "nhi"
      | "nhi_card_tw"
      | "nhs_number"
      | "nib_pt"
      | "nid_bd"
      | "nie"
      | "nif_dz"
      | "nif_ht"
      | "nif_iva_es"
      | "nif_pt"
      | "nifp_gn"
      | "nin_ng"
      | "ninea"
      | "nino"
      | "nip"
      | "nipt"
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
      | "personal_number_ge"
      | "personalausweis"
      | "philhealth"
      | "philsys"
      | "pib_me"
      | "pib_rs"
      | "pin_ke"
      | "pin_th"
      | "pincode"
      | "pis"
      | "placa_br"
      | "place_of_birth"
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
      | "rg_br"
      | "rib"
      | "rif_ve"
      | "rijbewijs_nl"
      | "rnc_do"
      | "routing_number_ca"
      | "rpps"
      | "rubygems_token"
      | "ruc_pe"
      | "ruc_py"
      | "rut_cl"
      | "rut_uy"
      | "sedol"
      | "seed_phrase"
      | "sendgrid_api_key"
      | "sentry_token"
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
      | "sss_ph"
      | "steuer_id"
      | "steuernummer_at"
      | "storage_signed_url"
      | "stripe_key"
      | "supabase_key"
      | "szemelyi_igazolvany"
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
      | "upi_id"
      | "upn"
      | "ups_tracking"
      | "url"
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
      | "zip_code">
  | Kind<"addressCountry" | "city" | "houseNumber" | "postalCode" | "region" | "street" | "unit",
      | "address">
  | Kind<"birthDate" | "centuryInferred",
      | "adoazonosito_jel"
      | "cedula_ni"
      | "civil_id_kw"
      | "date_of_birth"
      | "kennitala"
      | "matricule_lu"
      | "nid_mu"
      | "nida_tz"
      | "p_tal"
      | "personas_kods"
      | "rfc"
      | "svnr_at"
      | "unzr">
  | Kind<"birthDate" | "centuryInferred" | "gender",
      | "amka"
      | "asmens_kodas"
      | "bis_nummer"
      | "chi_number"
      | "codice_fiscale"
      | "cpr"
      | "d_nummer"
      | "dic_cz"
      | "driver_licence_ca_on"
      | "driving_licence_gb"
      | "egn"
      | "embg"
      | "emso"
      | "fodselsnummer"
      | "frn"
      | "hetu"
      | "ic_dph"
      | "id_number_za"
      | "iin_kz"
      | "isikukood"
      | "jmbg"
      | "ni_cu"
      | "nic_lk"
      | "nid_al"
      | "personal_number_by"
      | "personnummer"
      | "pesel"
      | "ramq"
      | "rijksregisternummer"
      | "rnokpp"
      | "rodne_cislo"
      | "rrn"
      | "rvnr"
      | "samordningsnummer"
      | "ssn_am"
      | "szemelyi_szam">
  | Kind<"gender" | "region",
      | "arc_tw"
      | "cccd_vn"
      | "cnic"
      | "national_id_tw"
      | "nir">
  | Kind<"country",
      | "bic"
      | "iban"
      | "isil"
      | "isin"
      | "isrc"
      | "nationality"
      | "sepa_creditor_id"
      | "upu_s10_tracking">
  | Kind<"key",
      | "bip32_extended_key"
      | "bitcoin_private_key_wif">
  | Kind<"region",
      | "cedula_cr"
      | "cedula_ec"
      | "codigo_postal_es"
      | "cui_gt"
      | "dni_hn"
      | "driver_license_kr"
      | "driving_licence_in"
      | "gstin"
      | "iccid"
      | "imsi"
      | "nuss"
      | "plaka"
      | "ruc_ec"
      | "steuernummer"
      | "titulo_eleitor"
      | "uscc"
      | "vehicle_registration_in">
  | Kind<"birthDate" | "centuryInferred" | "gender" | "region",
      | "clave_elector"
      | "cnp"
      | "curp"
      | "mykad"
      | "national_id_eg"
      | "nik"
      | "resident_id_cn">
  | Kind<"brand",
      | "credit_card">
  | Kind<"network",
      | "crypto_address">
  | Kind<"gender",
      | "cuit"
      | "gender"
      | "national_id_rw"
      | "nin_ug">
  | Kind<"latitude" | "longitude",
      | "geo_coordinates">
  | Kind<"version",
      | "ip_address">
  | Kind<"birthDate" | "centuryInferred" | "documentNumber" | "expiryDate" | "familyName" | "gender" | "givenName" | "nationality",
      | "mrz">
  | Kind<"familyName" | "givenName" | "probableCountry" | "probableGender" | "title",
      | "name">
  | Kind<"e164" | "lineType",
      | "phone"
      | "phone_number">;
