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
  | "access_code"
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
  | "chave_pix"
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
  | "conta_bancaria"
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
  | "insurance_policy_number"
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
  | "last_digits"
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
  | "masked_number"
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
  | "one_time_code"
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
  | "pin"
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
  | "prawo_jazdy"
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
export type AnyEntityType = EntityType | EntityAlias | (string & {});

/**
 * The name of a type in another tool.
 *
 * @example
 * const others = ["PERSON", "EMAIL_ADDRESS"]; // EntityAlias[]
 * find("Emily Carter, a@example.com", { entities: others }).map(({ type }) => type); // ["name", "email"]
 */
export type EntityAlias = Alias | Uppercase<Alias>;

type Alias =
  | "1password_secret_key"
  | "a_number"
  | "aadhar"
  | "aaid"
  | "aba"
  | "aba_routing_number"
  | "abgabenkontonummer"
  | "abha_number"
  | "ada_address"
  | "adoazonosito"
  | "ahvn13"
  | "alarm_code"
  | "albania_nid"
  | "alibaba_access_key_id"
  | "api_key"
  | "ar_cuil"
  | "ar_passport"
  | "argentina_dni_number"
  | "argentina_passport"
  | "arztnummer"
  | "at_company_number"
  | "at_fn"
  | "at_postal_code"
  | "at_social_security"
  | "at_tin"
  | "at_vat"
  | "australia_driver_license_number"
  | "australia_medicare_number"
  | "australia_passport"
  | "australia_tax_file_number"
  | "australian_business_number"
  | "australian_company_number"
  | "austria_social_security_number"
  | "austria_tax_number"
  | "ausweisnummer"
  | "authorization_header"
  | "avs"
  | "aws_access_key"
  | "aws_credentials"
  | "azure_sas"
  | "banknote_serial"
  | "basic_auth_header"
  | "bce"
  | "bch_address"
  | "bcrypt_hash"
  | "be_bis"
  | "be_id_card"
  | "be_nn"
  | "be_ssn"
  | "be_structured_communication"
  | "be_vat"
  | "bearer_token"
  | "belgium_national_id_card_number"
  | "betriebsstaettennummer"
  | "bg_eik"
  | "bg_pnf"
  | "bg_vat"
  | "bic_code"
  | "bic_container_code"
  | "birth_date"
  | "birth_number"
  | "birth_place"
  | "birthdate"
  | "birthday"
  | "birthplace"
  | "bitcoin"
  | "blood_group"
  | "bolivia_ci"
  | "booking_reference"
  | "br_bank_account"
  | "br_passport"
  | "brazil_cnpj_number"
  | "brazil_cpf_number"
  | "brazil_passport"
  | "brin"
  | "bsb"
  | "btc_address"
  | "btw_be"
  | "bulgaria_uniform_civil_number"
  | "business_number_ca"
  | "business_registration_number_kr"
  | "bvn"
  | "ca_driver_licence_on"
  | "cadastral_reference_es"
  | "can_cuoc"
  | "canada_bank_account"
  | "canada_bc_phn"
  | "canada_drivers_license_number"
  | "canada_ohip"
  | "canada_passport"
  | "canada_quebec_hin"
  | "canada_social_insurance_number"
  | "card_expiration"
  | "card_number"
  | "carne_identidad_cu"
  | "cartao_sus"
  | "carte_identite"
  | "cas_rn"
  | "cc_number"
  | "cc_pt"
  | "cdi_ar"
  | "cedula_dominicana"
  | "cedula_juridica"
  | "centrelink_crn"
  | "ch_postal_code"
  | "ch_qr_reference"
  | "ch_ssn"
  | "ch_vat"
  | "chassis_number"
  | "chi"
  | "chile_cdi_number"
  | "chile_passport"
  | "china_passport"
  | "china_resident_id_number"
  | "cie"
  | "citizenship"
  | "city_name"
  | "civil_status"
  | "cl_passport"
  | "claude_api_key"
  | "cn_ric"
  | "cnie"
  | "coe"
  | "colombia_cdc_number"
  | "community_health_index"
  | "companies_house_number"
  | "company"
  | "company_name"
  | "company_number_il"
  | "connection_string"
  | "coordinates"
  | "corporate_identity_number"
  | "corporate_number_jp"
  | "corporate_registration_number_kr"
  | "costa_rica_cedula"
  | "court_case_br"
  | "cr_cpf"
  | "cr_cr"
  | "credit_card_number"
  | "credit_card_track_number"
  | "creditor_identifier"
  | "crn_gb"
  | "croatia_personal_id_number"
  | "crypto"
  | "cryptocurrency_address"
  | "cuil"
  | "cups"
  | "cvc"
  | "cvu"
  | "cvv"
  | "cy_vat"
  | "cz_bank_account"
  | "cz_birth_number"
  | "cz_id_card"
  | "cz_rc"
  | "cz_vat"
  | "czechia_personal_id_number"
  | "date_time"
  | "de_handelsregister"
  | "de_health_insurance"
  | "de_id_card"
  | "de_kfz"
  | "de_license_plate"
  | "de_passport"
  | "de_routing_id"
  | "de_social_security"
  | "de_tax_id"
  | "de_tax_number"
  | "de_vat"
  | "de_vat_id"
  | "dea"
  | "denmark_cpr_number"
  | "diagnosis_code"
  | "dk_vat"
  | "dni"
  | "dob"
  | "doge_address"
  | "domain"
  | "door_code"
  | "dpi_gt"
  | "driver_license"
  | "driver_number_gb"
  | "drivers_license"
  | "drivers_license_br"
  | "drivers_license_in"
  | "driving_licence"
  | "e_mail"
  | "e_ncf"
  | "ean"
  | "ec_ci"
  | "ecuador_ci"
  | "edb"
  | "edipi"
  | "ee_ik"
  | "ee_vat"
  | "eg_tn"
  | "egypt_national_id"
  | "eic_code"
  | "eid"
  | "eik"
  | "einecs"
  | "el_vat"
  | "email_address"
  | "encryption_key"
  | "energy_identification_code"
  | "enp"
  | "epic"
  | "es_license_plate"
  | "es_nif"
  | "es_passport"
  | "es_plate"
  | "es_postal_code"
  | "es_vat"
  | "esr_referenz"
  | "estonia_personal_id"
  | "eth_address"
  | "ethereum"
  | "eticket_number"
  | "eu_excise"
  | "eu_health_card"
  | "eu_oss"
  | "eui48"
  | "euro_serial_number"
  | "european_health_insurance_card"
  | "evm_address"
  | "extended_public_key"
  | "fax_number"
  | "fda_code"
  | "fein"
  | "fi_business_id"
  | "fi_personal_identity_code"
  | "fi_tax_number"
  | "fi_vat"
  | "fin"
  | "financial_account_number"
  | "finland_national_id_number"
  | "first_name"
  | "fn"
  | "fnr"
  | "fo_ptal"
  | "fo_vn"
  | "foreigner_registration_number_kr"
  | "fr_bank_account"
  | "fr_driver_license"
  | "fr_driving_licence"
  | "fr_id_card"
  | "fr_license_plate"
  | "fr_nif"
  | "fr_postal_code"
  | "fr_vat"
  | "france_cni"
  | "france_nir"
  | "france_passport"
  | "fuehrerscheinnummer"
  | "full_name"
  | "gaid"
  | "gb_chi"
  | "gb_nhs"
  | "gcp_api_key"
  | "germany_drivers_license"
  | "germany_driving_licence"
  | "germany_identity_card_number"
  | "germany_passport"
  | "germany_social_security_number"
  | "germany_tax_number"
  | "germany_taxpayer_identification_number"
  | "germany_vehicle_registration"
  | "ghana_card_pin"
  | "github_pat"
  | "gitlab_pat"
  | "glaeubiger_id"
  | "gmc"
  | "gosnomer"
  | "gpe"
  | "gps_coordinates"
  | "gr_id_card"
  | "gr_vat"
  | "gst_hst_ca"
  | "gst_in"
  | "guid"
  | "handelsregister"
  | "hardware_address"
  | "hcn_ni"
  | "health_card_on"
  | "health_id_in"
  | "health_insurance_id"
  | "health_plan_beneficiary_number"
  | "hk_id"
  | "home_address"
  | "hong_kong_id_number"
  | "hostname"
  | "hr_vat"
  | "hrb"
  | "hu_anum"
  | "hu_id_card"
  | "hu_personal_id"
  | "hu_tax_number"
  | "hu_tin"
  | "hu_vat"
  | "iban_code"
  | "iban_number"
  | "ic_cz"
  | "icd_code"
  | "iceland_national_id"
  | "id_passport"
  | "ide"
  | "identidad_hn"
  | "identity_number"
  | "idfa"
  | "idno"
  | "idnp"
  | "idnr"
  | "ie_postal_code"
  | "ifsc_code"
  | "iin"
  | "ik"
  | "il_idnr"
  | "imei_hardware_id"
  | "imei_number"
  | "immatriculation_fr"
  | "immigration_case_number"
  | "imsi_id"
  | "imss"
  | "in_voter"
  | "indangamuntu"
  | "india_aadhaar_individual"
  | "india_gst_individual"
  | "india_pan_individual"
  | "india_passport"
  | "individual_healthcare_identifier"
  | "individual_number"
  | "indonesia_nik_number"
  | "indonesia_passport"
  | "ine"
  | "insee"
  | "insz"
  | "international_bank_account_number"
  | "ioss"
  | "ip"
  | "ipn"
  | "ipv4"
  | "ipv4_address"
  | "ipv6"
  | "iqama"
  | "ir_national_id"
  | "ireland_ppsn"
  | "is_vat"
  | "isin_code"
  | "israel_identity_card_number"
  | "it_codicefiscale"
  | "it_driver_license"
  | "it_driving_licence"
  | "it_fiscal_code"
  | "it_health_card"
  | "it_identity_card"
  | "it_iva"
  | "it_license_plate"
  | "it_passport"
  | "it_plate"
  | "it_postal_code"
  | "it_vat"
  | "it_vat_code"
  | "italy_fiscal_code"
  | "italy_passport"
  | "japan_bank_account"
  | "japan_drivers_license_number"
  | "japan_individual_number"
  | "japan_passport"
  | "jersey_ssn"
  | "jira_api_token"
  | "jmb"
  | "jo_national_number"
  | "jp_cn"
  | "jp_in"
  | "json_web_token"
  | "kart_melli"
  | "kbo"
  | "kojin_bango"
  | "korea_arn"
  | "korea_passport"
  | "korea_rrn"
  | "kra_pin"
  | "krankenversichertennummer"
  | "krankenversicherungsnummer"
  | "kuwait_civil_id"
  | "kvk_nl"
  | "last4"
  | "last_four"
  | "last_name"
  | "latvia_personal_code"
  | "legal_entity_identifier"
  | "leitweg"
  | "li_tin"
  | "license_plate_ar"
  | "license_plate_br"
  | "license_plate_cn"
  | "license_plate_in"
  | "license_plate_ng"
  | "link"
  | "litecoin"
  | "lithuania_personal_code"
  | "loc"
  | "location"
  | "location_coordinates"
  | "login_name"
  | "lt_asmens"
  | "lt_company_code"
  | "lt_vat"
  | "ltc_address"
  | "lu_national_id"
  | "lu_vat"
  | "luxembourg_national_id"
  | "lv_pk"
  | "lv_vat"
  | "ma_so_thue"
  | "mac"
  | "mac_address_local"
  | "macao_id"
  | "macau_id"
  | "macedonia_embg"
  | "machine_readable_zone"
  | "mail"
  | "malaysia_national_registration_id_number"
  | "malaysia_passport"
  | "malta_id_card"
  | "matricule_fiscal"
  | "mc_vat"
  | "medical_license"
  | "medicare_number_us"
  | "melli_code"
  | "member_id"
  | "mexico_clabe"
  | "mexico_curp_number"
  | "mexico_passport"
  | "mispar_zehut"
  | "mnemonic_phrase"
  | "moa"
  | "mobile_number"
  | "momsnummer"
  | "mrn"
  | "mva"
  | "mx_passport"
  | "my_nric"
  | "nace"
  | "naf"
  | "nam_qc"
  | "national_drug_code"
  | "national_health_index"
  | "national_id_number"
  | "national_insurance_number"
  | "national_provider_identifier"
  | "navs13"
  | "neph"
  | "netherlands_bsn_number"
  | "netherlands_passport"
  | "new_relic_key"
  | "new_zealand_business_number"
  | "new_zealand_ird_number"
  | "new_zealand_nhi_number"
  | "new_zealand_passport"
  | "nhs"
  | "nic_pt"
  | "nicop"
  | "nif_fr"
  | "nigeria_passport"
  | "nipc"
  | "nis_br"
  | "niss"
  | "nit_br"
  | "nit_colombia"
  | "nl_big"
  | "nl_driver_license"
  | "nl_driving_licence"
  | "nl_id_card"
  | "nl_license_plate"
  | "nl_passport"
  | "nl_plate"
  | "nl_postal_code"
  | "nl_vat"
  | "nn_be"
  | "no_kontonr"
  | "no_orgnr"
  | "no_postal_code"
  | "no_vat"
  | "nomor_induk_kependudukan"
  | "nomor_pokok_wajib_pajak"
  | "norway_bank_account"
  | "norway_ni_number"
  | "nric_my"
  | "nrt"
  | "nuip"
  | "nuis"
  | "number_plate"
  | "numer_ksiegi_wieczystej"
  | "numero_bis"
  | "numero_finess"
  | "numero_fiscal"
  | "numero_national"
  | "numero_rpps"
  | "numero_securite_sociale"
  | "numero_siren"
  | "numero_siret"
  | "numero_tva"
  | "numero_utente"
  | "oab"
  | "ogm"
  | "ogrnip"
  | "om_civil_number"
  | "oman_id"
  | "orcid_id"
  | "org"
  | "organisation"
  | "organization_name"
  | "orgnr_no"
  | "orgnr_se"
  | "otp"
  | "panama_cedula"
  | "paraguay_cic_number"
  | "partial_number"
  | "pasep"
  | "passeport"
  | "passport"
  | "passport_mrz"
  | "passport_no"
  | "passwd"
  | "patient_id"
  | "payment_card"
  | "pcn"
  | "pe_cui"
  | "pe_id"
  | "per"
  | "permanent_account_number"
  | "person"
  | "person_name"
  | "personal_identification_code"
  | "peru_dni_number"
  | "philhealth_number"
  | "philsys_number"
  | "pib"
  | "pin_code"
  | "piva"
  | "pix_key"
  | "pl_bank_account"
  | "pl_driving_licence"
  | "pl_id_card"
  | "pl_land_register"
  | "pl_license_plate"
  | "pl_passport"
  | "pl_postal_code"
  | "pl_vat"
  | "plate_number"
  | "poland_national_id_number"
  | "poland_passport"
  | "poland_tax_id"
  | "poland_vehicle_registration"
  | "policy_number"
  | "portugal_cdc_number"
  | "portugal_nif"
  | "portugal_social_security_number"
  | "postal_address"
  | "postal_code_at"
  | "postal_code_au"
  | "postal_code_br"
  | "postal_code_ch"
  | "postal_code_de"
  | "postal_code_es"
  | "postal_code_fr"
  | "postal_code_gb"
  | "postal_code_ie"
  | "postal_code_in"
  | "postal_code_it"
  | "postal_code_nl"
  | "postal_code_no"
  | "postal_code_pl"
  | "postal_code_pt"
  | "postal_code_se"
  | "postal_tracking_number"
  | "postcode"
  | "postgiro"
  | "postleitzahl"
  | "ppk"
  | "ppsn"
  | "presigned_url"
  | "private_key"
  | "psn"
  | "psn_am"
  | "pt_postal_code"
  | "pt_sns"
  | "pt_vat"
  | "puk"
  | "pwd"
  | "raschetny_schet"
  | "rc"
  | "rc_sk"
  | "rcs"
  | "rcs_number"
  | "record_locator"
  | "recovery_phrase"
  | "rentenversicherungsnummer"
  | "resident_id"
  | "resident_registration_number"
  | "rf_reference"
  | "rg"
  | "ric"
  | "ro_cif"
  | "ro_id_card"
  | "ro_trade_register"
  | "ro_vat"
  | "romania_cnp"
  | "rtn"
  | "ru_license_plate"
  | "ruc_ecuador"
  | "ruc_paraguay"
  | "ruc_peru"
  | "run"
  | "russia_inn"
  | "russia_passport"
  | "rut_chile"
  | "rut_uruguay"
  | "saudi_national_id"
  | "scotland_community_health_index_number"
  | "se_license_plate"
  | "se_plate"
  | "se_postal_code"
  | "se_vat"
  | "secret"
  | "seed_number"
  | "sendinblue_api_key"
  | "serbia_jmbg"
  | "session_cookie"
  | "sex"
  | "sg_nric_fin"
  | "ship_identification_number"
  | "si_ddv"
  | "si_maticna"
  | "si_vat"
  | "sim_card_number"
  | "sim_number"
  | "singapore_national_registration_id_number"
  | "singapore_passport"
  | "sk_birth_number"
  | "sk_rc"
  | "sk_vat"
  | "social_insurance_number"
  | "social_media_handle"
  | "social_security_number"
  | "sofinummer"
  | "sol_address"
  | "sort_code"
  | "south_africa_id_number"
  | "south_africa_passport"
  | "sozialversicherungsnummer"
  | "sozialversicherungsnummer_at"
  | "spain_bank_account"
  | "spain_cif_number"
  | "spain_dni_number"
  | "spain_nie_number"
  | "spain_nif_number"
  | "spain_passport"
  | "spain_social_security_number"
  | "sss_number"
  | "steuer_identifikationsnummer"
  | "steueridentifikationsnummer"
  | "stnr"
  | "street_address"
  | "stripe_api_key"
  | "sv_nummer"
  | "sweden_national_id_number"
  | "swift"
  | "swift_bic"
  | "swift_code"
  | "switzerland_social_security_number"
  | "szemelyi_azonosito"
  | "taiwan_passport"
  | "taj_szam"
  | "tax_file_number"
  | "taxpayer_id_th"
  | "taxpayer_identification_number_us"
  | "tc_kimlik"
  | "team"
  | "telephone"
  | "telephone_number"
  | "textveil_api_key"
  | "th_tnin"
  | "thailand_national_id_number"
  | "thailand_passport"
  | "tic"
  | "tic_cy"
  | "town"
  | "tr_license_plate"
  | "tr_national_id"
  | "tr_passport"
  | "tr_plate"
  | "tr_tckimlik"
  | "tracking_number"
  | "transit_number_ca"
  | "trn"
  | "tron"
  | "truncated_number"
  | "trx_address"
  | "turkey_id_number"
  | "tva_be"
  | "tva_intracommunautaire"
  | "twilio_account_sid"
  | "twilio_api_key"
  | "twitter_handle"
  | "tz_nin"
  | "ua_rntrc"
  | "uae_id"
  | "uan"
  | "ui_number_tw"
  | "uidai"
  | "uk_bank_account"
  | "uk_company_number"
  | "uk_drivers_license_number"
  | "uk_driving_licence"
  | "uk_gmc"
  | "uk_hsc"
  | "uk_license_plate"
  | "uk_national_health_service_number"
  | "uk_national_insurance_number"
  | "uk_nhs"
  | "uk_nino"
  | "uk_number_plate"
  | "uk_passport"
  | "uk_postcode"
  | "uk_sedol"
  | "uk_sort_code"
  | "uk_taxpayer_reference"
  | "uk_upn"
  | "uk_utr"
  | "uk_vat"
  | "uk_vehicle_registration"
  | "umsatzsteuer_id"
  | "unified_social_credit_code"
  | "unique_entity_number"
  | "unique_pupil_number"
  | "unique_taxpayer_reference"
  | "unp"
  | "upc"
  | "upi"
  | "url_with_credentials"
  | "uruguay_cdi_number"
  | "us_adoption_taxpayer_identification_number"
  | "us_bank_account_number"
  | "us_bank_number"
  | "us_bank_routing_micr"
  | "us_drivers_license"
  | "us_drivers_license_number"
  | "us_employer_identification_number"
  | "us_healthcare_npi"
  | "us_individual_taxpayer_identification_number"
  | "us_medicare_beneficiary_id_number"
  | "us_phone"
  | "us_phone_number"
  | "us_postal_code"
  | "us_preparer_taxpayer_identification_number"
  | "us_social_security_number"
  | "uscis_number"
  | "user_name"
  | "ust_id_at"
  | "ust_idnr"
  | "vat_at"
  | "vat_ch"
  | "vat_cz"
  | "vat_de"
  | "vat_es"
  | "vat_fi"
  | "vat_fr"
  | "vat_id"
  | "vat_lu"
  | "vat_number"
  | "vat_number_gb"
  | "vat_pl"
  | "vat_se"
  | "vat_sk"
  | "vat_tw"
  | "vault_token"
  | "vcs"
  | "vehicle_identification_number"
  | "vehicle_license_plate"
  | "vehicle_registration"
  | "venezuela_cdi_number"
  | "vereinsregisternummer"
  | "verification_code"
  | "vietnam_passport"
  | "vinnutal"
  | "virtual_id_in"
  | "vnr"
  | "voter_id_br"
  | "voter_id_in"
  | "voter_id_mx"
  | "vpa"
  | "vsk"
  | "web_address"
  | "website"
  | "wertpapierkennnummer"
  | "widnr"
  | "wif"
  | "wirtschafts_id"
  | "xlm_address"
  | "xmr_address"
  | "xprv"
  | "xpub"
  | "xrp_address"
  | "y_tunnus"
  | "za_idnr"
  | "zairyu_card"
  | "zec_address"
  | "zip";

/**
 * Options of detection; protection takes them too.
 *
 * @example
 * detect("PESEL 44051401359", { country: "PL", entities: ["pesel"], minConfidence: 0.9 }).entities.length; // 1
 */
export interface DetectOptions<Custom extends string = never> {
  /** Country of the text, as ISO 3166-1 alpha-2 code; inferred when absent. It weighs as evidence and hides nothing. Anything else is an error. */
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
  /** The values of a text that joins several, in order. Such a text is made of a table, a form or a document. A finding lies in one of the cells: one over several is a finding in each. The text between them is read and never reported. They belong to one text, as hints do. Empty for a text that is one value. */
  cells?: Cell[] | undefined;
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
 * A value of a text that joins several: a half-open range, in the requested unit.
 *
 * @example
 * const text = "street: 12 High St\nzip: LS1 1AA";
 * const cells = [{ start: 8, end: 18 }, { start: 24, end: 31 }]; // its values
 * protect(text, { cells }).protectedText; // "street: [REDACTED]\nzip: [REDACTED]"
 */
export interface Cell {
  /** Offset of the first unit. */
  start: number;
  /** Offset after the last unit. */
  end: number;
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
  /** A regular expression, matched against each whole line. It must not match the empty text. */
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
 * const found = find("member 1234-5674, member 1234-5678", {
 *   customDetectors: [{ name: "member", shapes: ["d4-d4"], check: { rule: "luhn" } }],
 * });
 * found.map(({ original }) => original); // ["1234-5674"]
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
 * const { protectedText } = protect("card 4111 1111 1111 1111", {
 *   operators: { credit_card: { mode: "mask", keepLast: 4 } },
 * });
 * protectedText; // "card ***************1111"
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
 * const { protectedText } = protect("PESEL 44051401359, a@example.com", {
 *   mode: "policy",
 *   policies: [{ name: "mail stays", action: "ALLOW", conditions: [{ entityTypes: ["email"] }] }],
 *   defaultAction: "REDACT",
 * });
 * protectedText; // "PESEL [REDACTED], a@example.com"
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
 * const { protectedText } = protect("a@example.com", {
 *   mode: "policy",
 *   policies: [{ name: "sure mail stays", action: "ALLOW", conditions: [{ entityTypes: ["email"], confidenceMin: 0.5 }] }],
 *   defaultAction: "REDACT",
 * });
 * protectedText; // "a@example.com"
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
 * find("Dear Emily Carter", { privacyPreset: "conservative" })[0].type; // "name"
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
 * protect("Dear Emily Carter", { mode: "policy", policies: [], defaultAction: "MASK" }).protectedText; // "Dear ************"
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
 * - `credential`: Passwords, keys, tokens and codes that give access.
 *
 * @example
 * detectors().detectors.find(({ entityType }) => entityType === "email")?.category; // "contact"
 */
export type Category =
  "identity" | "contact" | "financial" | "location" | "personal" | "business" | "medical" | "government" | "credential";

/**
 * The terms of a weighted sum.
 * - `plain`: The products themselves.
 * - `digit_sum`: The digits of each product.
 *
 * @example
 * const found = find("member 1234-5674, member 1234-5678", {
 *   customDetectors: [
 *     {
 *       name: "member",
 *       shapes: ["d4-d4"],
 *       check: { rule: "weighted", weights: [2, 1], cyclic: true, modulus: 10, product: "digit_sum" }, // as Luhn
 *     },
 *   ],
 * });
 * found.length; // 1
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
 * const { protectedText, entities } = protect("Dear Emily Carter");
 * [protectedText, entities[0].protected]; // ["Dear [REDACTED]", "[REDACTED]"]
 */
export interface ProtectResponse<Custom extends string = never> {
  /** Text after protection. */
  protectedText: string;
  /** Ordered by start; offsets are those of the text. */
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
  /** Type used. */
  entityType: EntityType;
  /** Country used. */
  country: string | null;
  /** Passed validation. */
  valid: boolean;
  /** 0 to 1. */
  confidence: number;
  /** Facts; the `reason` if the value is invalid. */
  metadata: Metadata;
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
  /** Facts of its type; an empty object without facts. */
  metadata: Facts;
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
 * const pesel = detectors().detectors.find(({ entityType }) => entityType === "pesel");
 * [pesel?.region, pesel?.category]; // ["PL", "identity"]
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
 * const [{ evidence = [] }] = find("PESEL 44051401359", { explain: true });
 * evidence.length > 0; // true
 */
export interface Evidence {
  /**
   * The name of the signal.
   *
   * Of a finding: `shape`, `check`, `label`, `context`, `sibling`, `country`, `neighbour`, `hint`, `competing` or `calibration`. Of a name also `letters`, `case`, `lexicon`, `words`, `signs` or `repetition`. Of a country: `phone`, `domain`, `iban`, `bic`, `vat`, `identifier`, `place`, `postal_code`, `language`, `language_given` or `currency`.
   */
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
  /** Of a name: the full name that the text or the conversation has before it, if that is one person's and written otherwise. */
  person?: string;
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
 * const born = find("PESEL 44051401359").map((entity) => (entity.type === "pesel" ? entity.metadata.birthDate : undefined));
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
      | "access_code"
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
      | "chave_pix"
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
      | "conta_bancaria"
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
      | "insurance_policy_number"
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
      | "last_digits"
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
      | "masked_number"
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
      | "one_time_code"
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
      | "pin"
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
      | "prawo_jazdy"
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
  | Kind<"familyName" | "givenName" | "person" | "probableCountry" | "probableGender" | "title",
      | "name">
  | Kind<"e164" | "lineType",
      | "phone"
      | "phone_number">;
