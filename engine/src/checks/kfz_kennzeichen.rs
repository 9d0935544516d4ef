//! The parts of a German vehicle registration.
//!
//! District code, one or two letters, a number of one to four digits that does not begin with 0, then `E` for
//! electric or `H` for historic vehicles; eight characters at most. The value includes the hyphen if the text
//! has one; without it, any division into district and letters is accepted.
//!
//! Source: Fahrzeug-Zulassungsverordnung, annex 1; the list of district codes of the
//! Kraftfahrt-Bundesamt.

use super::prelude::*;

/// District codes in their order, those in use again since 2012 included; Ä, Ö and Ü
/// as A, O and U.
const DISTRICTS: &str = "A AA AB ABG ABI AC AE AH AIB AIC AK ALF ALZ AM AN ANA ANG ANK AO AP APD ARN ART AS ASL ASZ AT AU AUR AW AZ AZE B \
    BA BAD BAR BB BBG BBL BC BCH BD BE BED BEI BEL BER BF BGD BGL BH BI BID BIN BIR BIT BIW BK BKS BL BLB BLK BM BN \
    BNA BO BOG BOH BOR BOT BP BRA BRB BRG BRI BRK BRL BRV BS BSB BSK BT BTF BUD BUL BUR BUS BUZ BW BWL BYL BZ BZA C \
    CA CAS CB CE CHA CLP CLZ CO COC COE CR CUX CW D DA DAH DAN DAU DBR DD DE DEG DEL DGF DH DI DIL DIN DIZ DKB DL \
    DLG DM DN DO DON DS DU DUD DUW DW DZ E EA EB EBE EBN EBS ECK ED EE EF EG EH EI EIC EIH EIL EIN EIS EL EM EMD EMS \
    EN ER ERB ERH ERK ERZ ES ESB ESW EU EUT EW F FB FD FDB FDS FEU FF FFB FG FH FI FKB FL FLO FN FO FOR FR FRG FRI \
    FRW FS FT FTL FU FUS FW FZ G GA GAN GAP GC GD GDB GE GEL GEM GEO GER GF GG GHA GHC GI GK GL GLA GM GMN GN GNT GO \
    GOA GOH GP GR GRA GRH GRI GRM GRZ GS GT GTH GU GUB GUN GV GVM GW GZ H HA HAB HAL HAM HAS HB HBN HBS HC HCH HD \
    HDH HDL HE HEB HEF HEI HEL HER HET HF HG HGN HGW HH HHM HI HIG HIP HK HL HM HMU HN HO HOG HOH HOL HOM HOR HOS \
    HOT HP HR HRO HS HSK HST HU HUS HV HVL HW HWI HX HY HZ IGB IK IL ILL IN IS IZ J JB JE JEV JL JUL K KA KAR KB KC \
    KE KEH KEL KEM KF KG KH KI KIB KK KL KLE KLZ KM KN KO KON KOT KOZ KR KRU KS KT KU KUN KUS KW KY KYF L LA LAN LAU \
    LB LBS LBZ LC LD LDK LDS LEO LER LEV LF LG LH LI LIB LIF LIN LIP LL LM LN LO LOB LOS LP LR LRO LSA LSN LSZ LU \
    LUD LUN LUP LWL M MA MAB MAI MAK MAL MAR MB MC MD ME MED MEG MEI MEK MEL MER MET MG MGH MGN MH MHL MI MIL MK MKK \
    ML MM MN MO MOD MOL MON MOS MQ MR MS MSE MSH MSP MST MTK MTL MU MUB MUL MUN MUR MVL MW MY MYK MZ MZG N NAB NAI \
    NAU NB ND NDH NE NEA NEB NEC NEN NES NEU NEW NF NH NI NIB NK NL NM NMB NMS NO NOH NOL NOM NOR NP NR NRU NRW NT \
    NU NVP NW NWM NY NZ OA OAL OB OBB OBG OC OCH OD OE OF OG OH OHA OHR OHV OHZ OK OL OP OPR OR OS OSL OTW OVI OVL \
    OVP OZ P PA PAF PAN PAR PB PCH PE PEG PER PF PI PIR PL PLO PM PN PR PRU PS PW PZ QFT QLB R RA RC RD RDG RE REG \
    REH REI RG RH RI RID RIE RL RM RN RO ROD ROF ROH ROK ROL ROS ROT ROW RP RPL RS RSL RT RU RUD RUG RV RW RY RZ S \
    SAB SAD SAK SAL SAN SAW SB SBG SBK SC SCZ SDH SDL SDT SE SEB SEE SEF SEL SFB SFT SG SGH SH SHA SHG SHK SHL SI \
    SIG SIH SIM SK SL SLE SLF SLG SLK SLN SLS SLU SLZ SM SMU SN SNH SO SOB SOG SOK SOM SON SP SPB SPN SR SRB SRO ST \
    STA STB STD STE STH STL STO SU SUL SUW SW SWA SY SZ SZB TBB TDO TE TET TF TG THL THW TIR TO TOL TP TR TS TT TU \
    TUT UB UE UEM UER UFF UH UL UM UN USI V VAI VB VEC VER VG VIB VIE VIT VK VL VOH VR VS W WA WAF WAK WAN WAR WAT \
    WB WBS WDA WE WEB WEG WEL WEM WEN WER WES WF WG WHV WI WIL WIS WIT WIZ WK WL WLG WM WMS WN WND WO WOB WOH WOL \
    WOR WOS WR WRN WS WSF WST WSW WT WTL WTM WU WUG WUM WUN WUR WW WZ WZL Z ZE ZEL ZI ZIG ZP ZR ZW ZZ";

/// The maximum number of characters of a registration.
const LONGEST: usize = 8;

/// A registration has no facts.
pub fn facts(value: &str) -> Result<Facts, Invalid> {
    let start = value.bytes().position(|byte| byte.is_ascii_digit()).ok_or(Invalid::Format)?;
    let (letters, number) = value.split_at_checked(start).ok_or(Invalid::Format)?;
    let letters = letters.strip_suffix('-').unwrap_or(letters);
    let digits = number.strip_suffix(['E', 'H']).unwrap_or(number);
    let is_letter = |byte: u8| byte.is_ascii_uppercase() || byte == b'-';
    if !letters.bytes().all(is_letter) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Invalid::Format);
    }
    let length = letters.bytes().filter(u8::is_ascii_uppercase).count() + number.len();
    if digits.len() > 4 {
        return Err(Invalid::Length);
    }
    let divides = match letters.split_once('-') {
        Some((district, rest)) => matches!(rest.len(), 1 | 2) && is_district(district),
        None => [1, 2].iter().any(|rest| {
            letters.len().checked_sub(*rest).and_then(|end| letters.get(..end)).is_some_and(is_district)
        }),
    };
    if !divides || length > LONGEST || digits.starts_with('0') {
        Err(Invalid::Component)
    } else {
        Ok(Facts::default())
    }
}

fn is_district(code: &str) -> bool {
    entry(DISTRICTS, code).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts() {
        for (value, want) in [
            ("B-MW1234", Ok(())),
            ("B-MW-1234", Ok(())),
            ("MXY99", Ok(())),
            ("HH-AB12E", Ok(())),
            ("FU-X1", Ok(())),                       // Fürth
            ("XB-MW1234", Err(Invalid::Component)),  // no such district
            ("USBC12", Err(Invalid::Component)),     // neither US nor USB is one
            ("B-MW0123", Err(Invalid::Component)),   // the number begins with 0
            ("HH-AB1234E", Err(Invalid::Component)), // nine characters
            ("B-M12345", Err(Invalid::Length)),      // five digits
            ("B-MW12K", Err(Invalid::Format)),
            ("B-MW", Err(Invalid::Format)),
        ] {
            assert_eq!(facts(value).map(drop), want, "{value}");
        }
    }

    #[test]
    fn districts_are_sorted() {
        let codes: Vec<&str> = DISTRICTS.split(' ').collect();
        assert!(codes.is_sorted_by(|a, b| a < b), "not sorted, or one twice");
        assert!(codes.iter().all(|code| (1..=3).contains(&code.len())));
    }
}
